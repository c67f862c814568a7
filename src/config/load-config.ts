import { dirname, resolve } from 'node:path';
import { RllmError } from '../errors.js';
import { type Check, flag, isObject, listOf, oneOf, string, that } from '../field-checks.js';
import { assembleConfig } from './assemble-config.js';
import type { Assignment } from './assignment.js';
import { configError } from './config-fault.js';
import type { RllmConfigInput } from './config-input.js';
import type { ConfigPath } from './config-path.js';
import { asksForDataOnly, readEnvironment } from './environment.js';
import { findConfigFile } from './find-config.js';
import type { Environment } from './interpolate.js';
import type { LoadedConfig } from './loaded-config.js';
import { optionFaults } from './option-faults.js';
import { isPlainObject } from './plain-tree.js';
import { type ConfigFile, readConfigFile } from './read-config-file.js';
import { readSetFlags } from './set-flags.js';
import { FROM_CODE } from './value-source.js';

export interface LoadOptions {
  /** Where the search for a config file begins, and against which `file` resolves; the working directory by default. */
  readonly cwd?: string | undefined;
  /** The config file; absent, one is searched for. */
  readonly file?: string | undefined;
  /**
   * Run no code to find or read the config: only JSON and YAML will do. Default: what `RLLM_CONFIG_DATA_ONLY` says. The
   * plugins that the config names are another matter: they load with the app.
   */
  readonly dataOnly?: boolean | undefined;
  /** Flags `path=value`. */
  readonly set?: readonly string[] | undefined;
  /** Default: the variables of the process. */
  readonly env?: Environment | undefined;
  /** Values from code, merged over all others. */
  readonly overrides?: RllmConfigInput | undefined;
  /** False where the defaults will do when there is no file. Default: true. */
  readonly required?: boolean | undefined;
  /** `collect` leaves the faults to the caller, who adds those of names and plugins to them. Default: `throw`. */
  readonly onFault?: 'throw' | 'collect' | undefined;
}

const CHECKS = {
  cwd: string,
  file: string,
  dataOnly: flag,
  set: listOf(string),
  env: that(isObject, 'an object'),
  overrides: that(isObject, 'an object'),
  required: flag,
  onFault: oneOf('throw', 'collect'),
} satisfies Record<keyof LoadOptions, Check>;

/**
 * Loads the configuration: code over flags over environment over file over defaults.
 *
 * A config file that is a module runs, unless `dataOnly` forbids it; nothing else does.
 *
 * @throws RllmError CONFIG_NOT_FOUND, CONFIG_IS_CODE, CONFIG_UNREADABLE, CONFIG_INVALID (all faults in one), CONFIG_ENV_MISSING.
 */
export async function loadConfig(options: LoadOptions = {}): Promise<LoadedConfig> {
  const wrong = optionFaults(options, CHECKS);
  if (wrong.length > 0) throw configError(wrong);
  const { cwd = process.cwd(), env = process.env, dataOnly = asksForDataOnly(env) } = options;
  const path = await findConfigFile(cwd, options.file, { dataOnly });
  if (path === undefined && options.required !== false) {
    throw new RllmError('CONFIG_NOT_FOUND', `There is no config file in ${cwd} or the folders above it.`, {
      details: { cwd },
    });
  }
  const read: ConfigFile | undefined = path === undefined ? undefined : await readConfigFile(path);
  const variables = readEnvironment(env, read?.tree);
  const flags = readSetFlags(options.set ?? []);
  const loaded = assembleConfig({
    tree: read?.tree ?? {},
    file: read?.file ?? null,
    directory: read === undefined ? resolve(cwd) : dirname(read.file),
    text: read?.text ?? null,
    prefix: read?.prefix ?? [],
    env,
    assignments: [...variables.assignments, ...flags.assignments, ...assignmentsOf(options.overrides ?? {})],
    faults: [...variables.faults, ...flags.faults],
  });
  return checked(loaded, options.onFault);
}

/** The configuration of an object in code. Neither files nor the environment are read. @throws RllmError CONFIG_INVALID. */
export function configFromCode(
  input: unknown,
  options: { readonly directory?: string; readonly onFault?: 'throw' | 'collect' } = {},
): LoadedConfig {
  const loaded = assembleConfig({ tree: input, file: null, directory: options.directory ?? process.cwd() });
  return checked(loaded, options.onFault);
}

function checked(loaded: LoadedConfig, onFault: 'throw' | 'collect' = 'throw'): LoadedConfig {
  if (onFault === 'throw' && loaded.faults.length > 0) throw configError(loaded.faults);
  return loaded;
}

function assignmentsOf(value: unknown, path: ConfigPath = []): readonly Assignment[] {
  if (value === undefined) return [];
  if (!isPlainObject(value)) return [{ path, value, source: FROM_CODE }];
  return Object.entries(value).flatMap(([key, inner]) => assignmentsOf(inner, [...path, key]));
}
