import type { OptionsGiven } from 'rllm-sdk';
import { z } from 'zod';

declare module 'rllm-sdk' {
  interface PluginOptionsMap {
    'rllm-plugin-early-stop': OptionsGiven<EarlyStopOptions>;
  }
}

/** Options of the plugin. */
export interface EarlyStopOptions {
  /** Metric of the validation that is followed, `val/unknown/pass@1`. */
  readonly metric: string;
  /** Whether more is better or less. */
  readonly mode: 'max' | 'min';
  /** Validations in a row without improvement after which the run stops; `null`: it does not stop for that. */
  readonly patience: number | null;
  /** An improvement is a change for the better by more than this, in units of the metric. Read by `patience` alone. */
  readonly minDelta: number;
  /** Validations before this step do not try the patience. */
  readonly warmupSteps: number;
  /** Value at which the run stops at once; `null` for none. */
  readonly target: number | null;
  /** Keep a copy of the best checkpoint in the run's folder, as `best/`. */
  readonly keepBest: boolean;
}

export const earlyStopOptions: z.ZodType<EarlyStopOptions> = z.strictObject({
  metric: z
    .string()
    .min(1)
    .describe('Metric of the validation that is followed, for example "val/unknown/pass@1".'),
  mode: z.enum(['max', 'min']).default('max').describe('Whether more is better or less.'),
  patience: z
    .int()
    .positive()
    .nullable()
    .default(5)
    .describe('Validations in a row without improvement after which the run stops; null: never for that.'),
  minDelta: z
    .number()
    .nonnegative()
    .default(0)
    .describe('An improvement is a change for the better by more than this.'),
  warmupSteps: z
    .int()
    .nonnegative()
    .default(0)
    .describe('Validations before this step do not try the patience.'),
  target: z.number().nullable().default(null).describe('Value at which the run stops at once.'),
  keepBest: z
    .boolean()
    .default(true)
    .describe('Keep a copy of the best checkpoint in the folder "best" of the run.'),
});
