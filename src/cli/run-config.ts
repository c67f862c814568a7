import { existsSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import {
  type ConfigPath,
  HIDDEN,
  type LoadedConfig,
  loadConfig,
  parsePath,
  type RllmConfigInput,
  type ValueSource,
} from '../config/index.js';
import { RllmError } from '../errors.js';
import { RunFolder } from '../trainer/index.js';
import type { Json } from '../types/index.js';
import type { ConfigOptions } from './options.js';

type RunConfigOptions = Pick<ConfigOptions, 'set' | 'configDataOnly'> &
  Partial<Pick<ConfigOptions, 'plugins'>>;

interface ConfigRecord {
  readonly file: string | null;
  readonly directory: string;
  readonly config: { readonly [key: string]: Json };
  readonly sources: ReadonlyMap<string, ValueSource>;
}

/**
 * The configuration that a run was started with, from its folder, with flags on top. Secrets are not in the folder: they
 * come from the config file and the environment as these are now.
 *
 * @param directory  the run's folder, or one of its checkpoints.
 * @throws RllmError RUN_DIR_INVALID, CHECKPOINT_INVALID, CONFIG_IS_CODE; CONFIG_NOT_FOUND when the config file is gone.
 */
export async function loadRunConfig(
  directory: string,
  { set = [], configDataOnly, plugins = true }: RunConfigOptions,
): Promise<LoadedConfig> {
  const run = await RunFolder.resume(directory);
  const written = readConfigRecord(await run.readConfigRecord());
  if (written === undefined) {
    throw new RllmError('RUN_DIR_INVALID', `${run.directory}/config.json is not the configuration of a run.`);
  }
  const record = foundAgain(written, run.directory);
  const flagged = set.flatMap((flag) => {
    const path = parsePath(flag)?.path;
    return path === undefined ? [] : [path];
  });
  const loaded = await loadConfig({
    cwd: record.directory,
    ...(record.file === null ? {} : { file: record.file }),
    set,
    dataOnly: configDataOnly,
    required: false,
    onFault: 'collect',
    overrides: {
      ...(recorded(record.config, [], flagged) as RllmConfigInput),
      ...(plugins ? {} : { plugins: [] }),
    },
  });
  // What the record knows came from where it came from then, and not from this code.
  const sources = Object.entries(loaded.sources).map(([path, source]) => {
    return [path, source.from === 'code' ? (record.sources.get(path) ?? source) : source] as const;
  });
  return { ...loaded, directory: record.directory, sources: Object.fromEntries(sources) };
}

/**
 * The record with the place where the config file lies now: mostly where it lay. In a project that was moved or renamed it is looked
 * for in the folders above the run, as far below one of them as it was below the project's.
 */
function foundAgain(record: ConfigRecord, runDirectory: string): ConfigRecord {
  if (record.file === null || existsSync(record.file)) return record;
  const below = relative(record.directory, record.file);
  for (let at = runDirectory, above = dirname(at); above !== at; at = above, above = dirname(at)) {
    const file = join(above, below);
    if (existsSync(file)) return { ...record, file, directory: above };
  }
  return record;
}

/** What the record knows, without what it hides, what it refers to the environment for, and what flags set. */
function recorded(value: Json, path: ConfigPath, flagged: readonly ConfigPath[]): unknown {
  if (flagged.some((flag) => startsWith(path, flag))) return undefined;
  if (isObject(value)) {
    return Object.fromEntries(
      Object.entries(value).map(([key, child]) => [key, recorded(child, [...path, key], flagged)]),
    );
  }
  const isWithinList = flagged.some((flag) => startsWith(flag, path));
  return isWithinList || !isWhole(value) ? undefined : unescaped(value);
}

function isWhole(value: Json): boolean {
  if (Array.isArray(value)) return value.every(isWhole);
  if (isObject(value)) return Object.values(value).every(isWhole);
  return typeof value !== 'string' || !(value.includes(HIDDEN) || /(?<!\$)\$\{/.test(value));
}

/** Texts were escaped so that the record could be read as a config file, where `${NAME}` means a variable. */
function unescaped(value: Json): Json {
  if (Array.isArray(value)) return value.map(unescaped);
  if (isObject(value)) {
    return Object.fromEntries(Object.entries(value).map(([key, child]) => [key, unescaped(child)]));
  }
  return typeof value === 'string' ? value.replaceAll('$${', () => '${') : value;
}

function startsWith(path: ConfigPath, prefix: ConfigPath): boolean {
  return prefix.every((key, i) => path[i] === key);
}

function isObject(value: Json): value is { readonly [key: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function readConfigRecord(value: Json | undefined): ConfigRecord | undefined {
  if (value === undefined || !isObject(value)) return undefined;
  const { file, directory, config, sources } = value;
  if (file !== null && typeof file !== 'string') return undefined;
  if (typeof directory !== 'string' || config === undefined || !isObject(config)) return undefined;
  if (sources === undefined || !isObject(sources)) return undefined;
  const entries = Object.entries(sources).flatMap(([path, source]) =>
    isSource(source) ? [[path, source] as const] : [],
  );
  return { file, directory, config, sources: new Map(entries) };
}

function isSource(value: unknown): value is ValueSource {
  return typeof value === 'object' && value !== null && 'from' in value && 'where' in value;
}
