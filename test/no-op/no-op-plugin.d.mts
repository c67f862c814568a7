import type { AppOptions } from '../../src/container/index.js';
import type { LifecycleHooks } from '../../src/types/index.js';

/** The plugin's name. */
export const NO_OP: string;

/**
 * Options of `createApp` with the plugin after all others; each app gets one of its own. When an app is disposed, how often each of
 * its points was called is appended as a line of JSON to the file that `NO_OP_CALLS` names.
 */
export function withNoOp(
  hookPoints: readonly (keyof LifecycleHooks)[],
  options: AppOptions | undefined,
): AppOptions;
