import * as z from 'zod';
import type { HookPolicy, StopCondition, TrainerConfig } from '../types.js';
import { folderName, name, nonNegativeInt, positiveInt, type ShapeOf } from './kinds.js';

const stopCondition = z.strictObject({
  metric: name.describe('Name of the metric.'),
  atLeast: z.number().describe('Its value at which training is done.'),
} satisfies ShapeOf<StopCondition>);

const hooks = z.strictObject({
  onError: z
    .enum(['fail', 'warn', 'disable'])
    .default('fail')
    .describe(
      'A hook that throws ends the run, costs a warning, or costs a warning and is not called again in this run.',
    ),
  slowMs: positiveInt
    .nullable()
    .default(10_000)
    .describe(
      'A hook that runs longer is named in a warning, again each time its time has doubled; `null` for never. In milliseconds.',
    ),
} satisfies ShapeOf<HookPolicy>);

export const trainer: z.ZodType<TrainerConfig> = z.strictObject({
  projectName: folderName.default('rllm-training').describe("Names the folder of the project's runs."),
  experimentName: folderName.default('default').describe("Names the folder of the experiment's runs."),
  seed: nonNegativeInt.default(0).describe('Decides every random number of the run.'),
  totalEpochs: nonNegativeInt
    .default(1)
    .describe('Passes over the training data; 0 leaves the end to `totalBatches`.'),
  totalBatches: positiveInt
    .nullable()
    .default(null)
    .describe('Stop after this many steps; `null` leaves it to `totalEpochs`.'),
  testFreq: nonNegativeInt
    .default(5)
    .describe('Validate every k steps and at the end, where there is validation data; 0 never.'),
  valBeforeTrain: z
    .boolean()
    .default(true)
    .describe('Validate before the first step, where there is validation data.'),
  valOnly: z.boolean().default(false).describe('Validate, train nothing.'),
  saveFreq: nonNegativeInt.default(20).describe('Save a checkpoint every k steps; 0 only at the end.'),
  keepCheckpoints: positiveInt
    .nullable()
    .default(null)
    .describe('Checkpoints kept; older ones are removed. `null` keeps all.'),
  showTrajectories: nonNegativeInt.default(0).describe('Trajectories shown after each step.'),
  stopWhen: stopCondition
    .nullable()
    .default(null)
    .describe(
      'Stop, as completed, once a metric reaches a value: `{ metric: "val/unknown/pass@1", atLeast: 0.95 }`.',
    ),
  hooks: hooks
    .prefault({})
    .describe('What becomes of a run when a lifecycle hook of a plugin throws or takes long.'),
  runsDir: name.default('runs').describe('Folder under which runs are written.'),
} satisfies ShapeOf<TrainerConfig>);
