import * as z from 'zod';
import type { DataConfig } from '../types.js';
import { name, positiveInt, type ShapeOf } from './kinds.js';

export const data: z.ZodType<DataConfig> = z.strictObject({
  train: name
    .nullable()
    .default(null)
    .describe(
      'Training data: a `.jsonl` or `.json` file relative to the config file; `null` when it is given in code.',
    ),
  val: name
    .nullable()
    .default(null)
    .describe(
      'Validation data: a `.jsonl` or `.json` file relative to the config file; `null` when it is given in code, or there is none.',
    ),
  trainBatchSize: positiveInt.default(32).describe('Tasks per step.'),
  valBatchSize: positiveInt
    .nullable()
    .default(null)
    .describe('Tasks per validation batch; `null` takes all at once.'),
  shuffle: z.boolean().default(true).describe('Draw a new order of the training data for each epoch.'),
  dropLast: z.boolean().default(true).describe('Leave out a last batch that is not full.'),
  idField: name
    .default('id')
    .describe("Field that holds a row's id; a row without it is named by its position."),
  sourceField: name
    .default('data_source')
    .describe(
      "Field that names a row's data source in validation metrics; a row without it counts as `unknown`.",
    ),
} satisfies ShapeOf<DataConfig>);
