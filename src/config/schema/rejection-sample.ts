import * as z from 'zod';
import type { RejectionSamplingConfig } from '../types.js';
import { positiveInt, type ShapeOf } from './kinds.js';

export const rejectionSample: z.ZodType<RejectionSamplingConfig> = z.strictObject({
  mode: z
    .enum(['none', 'episode', 'group'])
    .default('none')
    .describe(
      '`none` drops only below `minTrajsPerGroup`; `episode` accumulates batches until enough tasks are partly solved; `group` drops groups without spread.',
    ),
  minPartialSolveTasks: positiveInt
    .default(1)
    .describe('Read in `episode` mode: partly solved tasks needed for an update.'),
  minTrajsPerGroup: positiveInt
    .default(2)
    .describe('Groups with fewer trajectories are dropped, in every mode.'),
} satisfies ShapeOf<RejectionSamplingConfig>);
