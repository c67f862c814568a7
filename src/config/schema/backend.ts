import * as z from 'zod';
import type { BackendConfig } from '../types.js';
import { name, openOptions, type ShapeOf } from './kinds.js';

/** A backend without options may stand as its bare name. */
export function expandBackend(value: unknown): unknown {
  return typeof value === 'string' ? { name: value } : value;
}

export const backend: z.ZodType<BackendConfig> = z.preprocess(
  expandBackend,
  z.strictObject({
    name: name.default('local').describe('Name of the backend.'),
    options: z
      .record(name, openOptions)
      .default({})
      .describe('Options by backend name, so that switching is one line. Each is validated by its backend.'),
  } satisfies ShapeOf<BackendConfig>),
);
