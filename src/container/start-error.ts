import {
  type ConfigFault,
  configError,
  faultAt,
  type LoadedConfig,
  parsePath,
  sourceOf,
} from '../config/index.js';
import { RllmError } from '../errors.js';
import type { PluginFault } from '../plugin-host/index.js';
import type { SettingFault } from './check-names.js';

/** Everything that is wrong before a run has begun. */
export interface StartFaults {
  /** What the config loader found: unknown keys, wrong types, missing variables. */
  readonly config?: readonly ConfigFault[];
  readonly plugins?: readonly PluginFault[];
  /** Names and options that only the parts themselves could check. */
  readonly settings?: readonly SettingFault[];
  readonly capabilities?: readonly SettingFault[];
}

/**
 * One error with all faults, or none. Its code is PLUGIN_INVALID or CAPABILITY_MISSING when there are faults of that kind
 * alone, else that of a config error.
 */
export function startError(found: StartFaults, loaded: LoadedConfig): RllmError | undefined {
  const { config = [], plugins = [], settings = [], capabilities = [] } = found;
  const place = (fault: SettingFault): ConfigFault => ({ ...fault, ...placeIn(loaded, fault) });
  const isNew = (fault: SettingFault): boolean => !config.some(({ path }) => path === fault.path);
  const faults: readonly ConfigFault[] = [
    ...config,
    ...plugins.map((fault) => (fault.file === null ? fault : { ...fault, ...place(fault) })),
    ...settings.filter(isNew).map(place),
    ...capabilities.filter(isNew).map(place),
  ];
  if (faults.length === 0) return undefined;
  const error = configError(faults);
  const [cause] = plugins.flatMap((fault) => (fault.cause === undefined ? [] : [fault.cause]));
  const options = { details: { faults }, ...(cause === undefined ? {} : { cause }) };
  if (plugins.length === faults.length) return new RllmError('PLUGIN_INVALID', error.message, options);
  if (capabilities.length === faults.length)
    return new RllmError('CAPABILITY_MISSING', error.message, options);
  return error;
}

/** Where the value stands; for one that is missing, what it is missing from; else the config file as a whole. */
function placeIn(loaded: LoadedConfig, fault: SettingFault): ConfigFault {
  const keys = parsePath(fault.path)?.path ?? [];
  for (let at = keys; at.length > 0; at = at.slice(0, -1)) {
    if (sourceOf(loaded, at).from !== 'default') return { ...faultAt(loaded, at, fault), path: fault.path };
  }
  return { ...fault, file: loaded.file };
}
