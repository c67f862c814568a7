import { type ConfigPath, formatPath } from './config-path.js';
import { configSchema } from './config-schema.js';
import { findConflicts } from './conflicts.js';
import { type FaultAt, forbiddenKeys, issueFaults } from './issue-faults.js';
import { copyTree, isPlainObject, valueAt } from './plain-tree.js';
import type { RllmConfig } from './types.js';

/**
 * Validates a whole configuration and finds all of its faults.
 *
 * @param faulty  paths that are already known to be wrong; their values are not judged again.
 * @returns       the configuration with every faulty value left at its default, so that names can be checked as well.
 */
export function validateTree(
  tree: unknown,
  faulty: readonly ConfigPath[],
): { readonly config: RllmConfig; readonly faults: readonly FaultAt[] } {
  const faults: FaultAt[] = [...forbiddenKeys(tree)];
  const sound = copyTree(tree);
  leaveOut(sound, [...faulty, ...faults.map((fault) => fault.path)]);
  for (;;) {
    const result = configSchema.safeParse(sound);
    if (result.success) {
      const judged = [...faulty, ...faults.map((fault) => fault.path)].map(formatPath);
      return { config: result.data, faults: [...faults, ...conflictFaults(result.data, tree, judged)] };
    }
    const found = result.error.issues.flatMap((issue) => issueFaults(issue, sound));
    // A field left out for its own fault is missing next: that is no second fault.
    faults.push(
      ...found.filter(({ path }) => !faults.some((known) => formatPath(known.path) === formatPath(path))),
    );
    if (found.some(({ path }) => path.length === 0)) return { config: configSchema.parse({}), faults };
    leaveOut(
      sound,
      found.map((fault) => fault.path),
    );
  }
}

/** Conflicts of settings that are themselves in order. */
function conflictFaults(config: RllmConfig, tree: unknown, judged: readonly string[]): readonly FaultAt[] {
  const isJudged = (path: ConfigPath): boolean =>
    path.some((_, i) => judged.includes(formatPath(path.slice(0, i + 1))));
  return findConflicts(config)
    .filter(({ paths }) => !paths.some(isJudged))
    .map(({ paths, message }) => {
      const written = paths.find((path) => valueAt(tree, path) !== undefined);
      return { path: written ?? paths[0] ?? [], fault: { message } };
    });
}

/** Takes faulty values out of a tree. A missing field takes its object with it, and an item its whole list, lest others move up. */
function leaveOut(tree: unknown, paths: readonly ConfigPath[]): void {
  const targets = paths.map((path) => {
    let target = path;
    while (target.length > 1 && valueAt(tree, target) === undefined) target = target.slice(0, -1);
    while (target.length > 1 && Array.isArray(valueAt(tree, target.slice(0, -1))))
      target = target.slice(0, -1);
    return target;
  });
  for (const target of targets) {
    const holder = valueAt(tree, target.slice(0, -1));
    const key = target.at(-1);
    if (isPlainObject(holder) && key !== undefined) delete holder[key];
  }
}
