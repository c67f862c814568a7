import type { ConfigFault } from '../config/index.js';

/** What is wrong with one plugin: where it is named, which it is, and what it threw. */
export interface PluginFault extends ConfigFault {
  /** The plugin's name once it is known, else what the config calls it. */
  readonly plugin: string;
  readonly cause?: unknown;
}

/** Where a plugin is named: the file, and the place in it (`plugins[2]`). */
export interface PluginPlace {
  readonly file: string | null;
  readonly path: string;
  readonly plugin: string;
}

/** A fault at a plugin's place, or below it: `at` is appended to the path (`.options.lr`). */
export function pluginFault(
  place: PluginPlace,
  message: string,
  more: {
    readonly at?: string;
    readonly cause?: unknown;
    readonly expected?: string;
    readonly nearest?: string;
  } = {},
): PluginFault {
  return {
    file: place.file,
    path: place.path + (more.at ?? ''),
    plugin: place.plugin,
    message: `Plugin "${place.plugin}" ${message}`,
    ...(more.cause === undefined ? {} : { cause: more.cause }),
    ...(more.expected === undefined ? {} : { expected: more.expected }),
    ...(more.nearest === undefined ? {} : { nearest: more.nearest }),
  };
}
