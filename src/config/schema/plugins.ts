import * as z from 'zod';
import type { PluginReference } from '../types.js';
import { name, openOptions, type ShapeOf } from './kinds.js';

/** A plugin without options may stand as its bare name. */
export function expandPlugin(value: unknown): unknown {
  return typeof value === 'string' ? { use: value } : value;
}

const plugin = z.preprocess(
  expandPlugin,
  z.strictObject({
    use: name.describe('Package name, or file relative to the config file.'),
    options: openOptions.default({}).describe("Validated against the plugin's own schema."),
  } satisfies ShapeOf<PluginReference>),
);

export const plugins: z.ZodType<readonly PluginReference[]> = z.array(plugin);
