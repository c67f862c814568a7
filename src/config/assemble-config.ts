import { type Assignment, assign } from './assignment.js';
import { type ConfigFault, placeOf } from './config-fault.js';
import { type ConfigPath, formatPath } from './config-path.js';
import { type Environment, interpolate } from './interpolate.js';
import type { BareFault, FaultAt } from './issue-faults.js';
import type { LoadedConfig } from './loaded-config.js';
import { copyTree, freezeTree, isPlainObject, leavesOf, mapTree, setOwn, valueAt } from './plain-tree.js';
import { expandBackend } from './schema/backend.js';
import { expandDataset } from './schema/data.js';
import { expandPlugin } from './schema/plugins.js';
import { expandReward } from './schema/reward.js';
import { schemaAt } from './schema-at.js';
import { HIDDEN, hidesValue } from './secrets.js';
import { showValue } from './show-value.js';
import { nearestSource, type Origins, sourceIn, startsWith } from './source-finder.js';
import { indexText } from './text-position.js';
import { validateTree } from './validate-tree.js';
import { FROM_DEFAULT, type ValueSource } from './value-source.js';

/** What a configuration is assembled from. */
export interface ConfigParts {
  /** The content of the config file, or an object from code. */
  readonly tree: unknown;
  /** Null for an object from code. */
  readonly file: string | null;
  readonly directory: string;
  /** Text of a file in which values can be located, and the keys above the configuration in it. */
  readonly text?: string | null;
  readonly prefix?: ConfigPath;
  /** Variables for `${NAME}`; absent, nothing is interpolated. */
  readonly env?: Environment;
  /** Set on top of the tree, in order. */
  readonly assignments?: readonly Assignment[];
  /** Faults found before. */
  readonly faults?: readonly ConfigFault[];
}

/** Interpolates, applies what is set on top, validates, and records where each value comes from. What is wrong is in `faults`. */
export function assembleConfig(parts: ConfigParts): LoadedConfig {
  const { file, directory, prefix = [] } = parts;
  const index = indexText(parts.text ?? '');
  const found: FaultAt[] = index.duplicates
    .filter((path) => path.length > prefix.length && startsWith(path, prefix))
    .map((path) => ({ path: path.slice(prefix.length), fault: { message: 'this key stands here twice' } }));

  const raw = copyWritten(parts.tree, found);
  const { tree, texts, faults } = interpolated(raw, parts.env);
  const base = copyTree(tree);
  const blocked: ConfigFault[] = [];
  const assignments = (parts.assignments ?? []).flatMap(writtenOut).filter((assignment) => {
    const obstacle = apply(assignment, tree, raw);
    if (obstacle === undefined) return true;
    // What is in the way may itself be wrong; then that is the fault.
    const isFaulty = [...found, ...faults].some(({ path }) => startsWith(obstacle, path));
    if (!isFaulty) blocked.push(blockedFault(assignment, tree, obstacle));
    return false;
  });
  const isReplaced = (path: ConfigPath): boolean => assignments.some((a) => startsWith(path, a.path));
  found.push(...faults.filter(({ path }) => !isReplaced(path)));
  const origins: Origins = {
    file,
    base,
    texts,
    assignments,
    locate: (path) => index.locate([...prefix, ...path]),
  };

  const validated = validateTree(
    tree,
    found.map(({ path }) => path),
  );
  found.push(...validated.faults);
  const sources: Record<string, ValueSource> = {};
  for (const { path } of leavesOf(validated.config)) {
    const isFaulty = found.some((fault) => startsWith(path, fault.path));
    setOwn(sources, formatPath(path), (isFaulty ? undefined : sourceIn(origins, path)) ?? FROM_DEFAULT);
  }
  const placed = found.map(({ path, fault }) =>
    placedFault(path, fault, nearestSource(origins, path), valueAt(tree, path)),
  );
  return {
    config: freezeTree(validated.config),
    file,
    directory,
    sources,
    raw,
    faults: [...(parts.faults ?? []), ...blocked, ...placed.sort(byPlace)],
  };
}

function interpolated(raw: unknown, env: Environment | undefined): ReturnType<typeof interpolate> {
  return env === undefined ? { tree: copyTree(raw), texts: new Map(), faults: [] } : interpolate(raw, env);
}

/** Copies what was given, so that nothing of the caller's is frozen or changed, with shorthands written out. */
function copyWritten(given: unknown, found: FaultAt[]): unknown {
  const copy = mapTree(given, (leaf, path) => {
    if (!isPlainObject(leaf) && !Array.isArray(leaf)) return leaf;
    found.push({ path, fault: { message: 'this value contains itself' } });
    return null;
  });
  expandShorthands(copy);
  return copy;
}

function expandShorthands(tree: unknown): void {
  if (!isPlainObject(tree)) return;
  const { backend, plugins, reward, data } = tree;
  if (backend !== undefined) setOwn(tree, 'backend', expandBackend(backend));
  if (Array.isArray(plugins)) setOwn(tree, 'plugins', plugins.map(expandPlugin));
  if (isPlainObject(reward) && Array.isArray(reward['functions']))
    setOwn(reward, 'functions', reward['functions'].map(expandReward));
  if (!isPlainObject(data)) return;
  for (const key of ['train', 'val']) {
    if (Object.hasOwn(data, key)) setOwn(data, key, expandDataset(data[key]));
  }
}

/**
 * A shorthand that a flag or a variable gives, as what it means, so that each part keeps the text that it may be printed as. The
 * bare name of a backend switches to it, and the options of the file stay; a path of data replaces the source of the file.
 */
function writtenOut(assignment: Assignment): readonly Assignment[] {
  const { path, value, source } = assignment;
  if (typeof value !== 'string') return [assignment];
  const at = formatPath(path);
  if (at === 'backend') return [{ ...assignment, path: ['backend', 'name'] }];
  if ((at !== 'data.train' && at !== 'data.val') || value === '') return [assignment];
  const { text: _, ...plain } = source;
  return [
    { path, value: expandDataset(value), source: plain },
    { path: [...path, 'options', 'path'], value, source },
  ];
}

/** Sets a value in both trees. @returns the path of what is in the way, if anything is. */
function apply({ path, value, source }: Assignment, tree: unknown, raw: unknown): ConfigPath | undefined {
  if (!isPlainObject(tree) || !isPlainObject(raw)) return undefined;
  const obstacle = assign(tree, path, copyTree(value));
  if (obstacle !== undefined) return obstacle;
  assign(raw, path, source.text ?? copyTree(value));
  expandShorthands(tree);
  expandShorthands(raw);
  return undefined;
}

function blockedFault({ path, source }: Assignment, tree: unknown, obstacle: ConfigPath): ConfigFault {
  const message = `cannot be set: there is ${showValue(valueAt(tree, obstacle))} at ${formatPath(obstacle)}`;
  return { ...placeOf(source), path: formatPath(path), message };
}

function placedFault(path: ConfigPath, fault: BareFault, source: ValueSource, value: unknown): ConfigFault {
  // The value of an unknown key says nothing, and may be a secret in the wrong place.
  const isKnown = value !== undefined && schemaAt(path) !== undefined;
  const given = isKnown ? givenText(path, value, source.text) : undefined;
  const message = fault.message === '' ? `expected ${fault.expected}, given ${given}` : fault.message;
  return { ...placeOf(source), path: formatPath(path), ...fault, message, given };
}

/** The value as it may be printed: a text from the environment as the reference to it. */
function givenText(path: ConfigPath, value: unknown, reference: string | undefined): string {
  if (hidesValue(path)) return HIDDEN;
  if (value === '') return 'an empty text';
  return typeof value === 'string' && reference !== undefined ? JSON.stringify(reference) : showValue(value);
}

function byPlace(a: ConfigFault, b: ConfigFault): number {
  return (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0);
}
