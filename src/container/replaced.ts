import type { Registries } from './registries.js';

type ByKind<T> = Readonly<Record<keyof Registries, T>>;

/** Who owns each name, by kind. */
export type Owners = ByKind<ReadonlyMap<string, string>>;

export function ownersOf(registries: Registries): Owners {
  return eachKind((kind) => new Map(registries[kind].list().map(({ name, owner }) => [name, owner])));
}

/** Names that had an owner before and have another now. */
export function replaced(before: Owners, after: Owners): ByKind<readonly string[]> {
  return eachKind((kind) => {
    const earlier = before[kind];
    const isTaken = (name: string, owner: string): boolean =>
      earlier.has(name) && earlier.get(name) !== owner;
    return [...after[kind]].filter((entry) => isTaken(...entry)).map(([name]) => name);
  });
}

function eachKind<T>(of: (kind: keyof Registries) => T): ByKind<T> {
  return {
    estimators: of('estimators'),
    groupingHooks: of('groupingHooks'),
    backends: of('backends'),
    workflows: of('workflows'),
    rewards: of('rewards'),
    datasets: of('datasets'),
    trackers: of('trackers'),
    commands: of('commands'),
  };
}
