import * as z from 'zod';
import type { TransformConfig } from '../types.js';
import { name, openOptions, type ShapeOf } from './kinds.js';

export const transform: z.ZodType<TransformConfig> = z.strictObject({
  groupingHook: name.default('task_role').describe('Name of the grouping hook.'),
  groupingOptions: z
    .record(name, openOptions)
    .default({})
    .describe(
      "Options by name of a grouping hook, so that switching is one line; each validated by its hook's own schema.",
    ),
  imputeMissingNames: z
    .boolean()
    .default(true)
    .describe('Name unnamed trajectories `default_traj_name_{position}`; `false` drops them (counted).'),
  trajectoryReward: z
    .enum(['last', 'sum', 'none'])
    .default('last')
    .describe(
      'Where a trajectory without a reward takes one from: its last step, the sum of its steps, or nowhere (then `algorithm.missingReward` decides).',
    ),
} satisfies ShapeOf<TransformConfig>);
