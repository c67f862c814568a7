import * as z from 'zod';
import type { DataConfig, DatasetReference } from '../types.js';
import { name, openOptions, positiveInt, type ShapeOf } from './kinds.js';

/** A file may stand as its bare path. */
export function expandDataset(value: unknown): unknown {
  return typeof value === 'string' && value !== '' ? { use: 'file', options: { path: value } } : value;
}

const source = z
  .preprocess(
    expandDataset,
    z.strictObject({
      use: name.describe('Name of the dataset source.'),
      options: openOptions.default({}).describe("Validated against the source's own schema."),
    } satisfies ShapeOf<DatasetReference>),
  )
  .nullable()
  .default(null);

export const data: z.ZodType<DataConfig> = z.strictObject({
  train: source.describe(
    'Training data: a `.jsonl` or `.json` file relative to the config file, or a dataset source with its options; `null` when it is given in code.',
  ),
  val: source.describe('Validation data: as `train`; `null` when it is given in code, or there is none.'),
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
