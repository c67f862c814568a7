import type { OptionsGiven } from 'rllm-sdk';
import { z } from 'zod';

declare module 'rllm-sdk' {
  interface PluginOptionsMap {
    'rllm-plugin-tensorboard': OptionsGiven<TensorBoardOptions>;
  }
  interface TrackerNames {
    tensorboard: true;
  }
}

/** Options of the plugin. */
export interface TensorBoardOptions {
  /** Folder of the event files, below the run's own. */
  readonly folder: string;
}

export const tensorBoardOptions: z.ZodType<TensorBoardOptions> = z.strictObject({
  folder: z
    .string()
    .regex(/^[^/\\.][^/\\]*$/, 'must be the name of a folder, without / and \\')
    .default('tensorboard')
    .describe("Folder of the event files, below the run's own."),
});
