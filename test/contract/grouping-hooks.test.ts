import { describe, expect, test } from 'vitest';
import { declarationsOf } from '../../src/declarations.js';
import { builtInGroupingHooks } from '../../src/grouping/index.js';
import { type GroupingHookContractOptions, groupingHookContract } from '../../src/testing/index.js';
import { workspacePlugins } from '../workspace-plugins.js';

/** Options without which a hook groups nothing. */
const NEEDS: Readonly<Record<string, GroupingHookContractOptions>> = {
  by_metadata: { options: { key: 'level' } },
  hierarchical: { options: { episodeRoles: ['solver'] } },
};

const all = [
  ...builtInGroupingHooks.map((declared) => ({ owner: 'built-in', declared })),
  ...(await workspacePlugins()).flatMap(({ name, definition }) =>
    (definition.groupingHooks ?? []).map((declared) => ({ owner: name, declared })),
  ),
].map(({ owner, declared }) => ({ owner, declared, name: declarationsOf(declared)[0]?.name ?? '' }));

test('there are hooks to try, and no name that nobody has', () => {
  expect(all.length).toBeGreaterThan(builtInGroupingHooks.length);
  const names = all.map(({ name }) => name);
  expect(Object.keys(NEEDS).filter((name) => !names.includes(name))).toEqual([]);
});

describe.each(all)('$name of $owner', ({ name, declared }) => {
  test.each(groupingHookContract(declared, NEEDS[name]))('$name', ({ run }) => run());
});
