import { type ConfigFault, placeOf } from './config-fault.js';
import { type ConfigPath, formatPath } from './config-path.js';
import type { LoadedConfig } from './loaded-config.js';
import { sourceOf } from './value-source.js';

/** A fault of a value of a loaded configuration, with the place the value comes from: for what only its reader can judge. */
export function faultAt(
  loaded: Pick<LoadedConfig, 'sources'>,
  path: string | ConfigPath,
  fault: Pick<ConfigFault, 'message' | 'expected' | 'given' | 'nearest'>,
): ConfigFault {
  const place = placeOf(sourceOf(loaded, path));
  return { ...fault, ...place, path: typeof path === 'string' ? path : formatPath(path) };
}
