import * as z from 'zod';
import type { CompactFilteringConfig } from '../types.js';
import type { ShapeOf } from './kinds.js';

/** Off; once on, it leaves out every ending but a proper one. */
export const compactFiltering: z.ZodType<CompactFilteringConfig> = z.strictObject({
  enable: z.boolean().default(false).describe('Whether anything is left out.'),
  maskMaxPromptLengthExceeded: z
    .boolean()
    .default(true)
    .describe('Leave out rollouts that ended with `max_prompt_length_exceeded`.'),
  maskMaxResponseLengthExceeded: z
    .boolean()
    .default(true)
    .describe('Leave out rollouts that ended with `max_response_length_exceeded`.'),
  maskEnvDone: z.boolean().default(false).describe('Leave out rollouts that ended with `env_done`.'),
  maskMaxTurnsExceeded: z
    .boolean()
    .default(true)
    .describe('Leave out rollouts that ended with `max_turns_exceeded`.'),
  maskTimeout: z.boolean().default(true).describe('Leave out rollouts that ended with `timeout`.'),
  maskUnknown: z.boolean().default(true).describe('Leave out rollouts that ended with `unknown`.'),
  maskError: z.boolean().default(true).describe('Leave out rollouts that ended with `error`.'),
} satisfies ShapeOf<CompactFilteringConfig>);
