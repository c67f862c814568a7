import { describe, expect, test } from 'vitest';
import { builtInEstimators } from '../../src/advantage/index.js';
import { declarationsOf } from '../../src/declarations.js';
import { type EstimatorContractOptions, estimatorContract } from '../../src/testing/index.js';
import { workspacePlugins } from '../workspace-plugins.js';

/** Where the formula itself says something else than the contract's default. */
const SAYS_OTHERWISE: Readonly<Record<string, EstimatorContractOptions>> = {
  // No baseline.
  reinforce: { uniform: 'free' },
  // A baseline of all that came before.
  rae: { uniform: 'free' },
  // Credit that does not come from rewards alone: KL, the critic, the teacher.
  reinforce_plus_plus_kl: { uniform: 'free' },
  gae: { uniform: 'free' },
  gae_kl: { uniform: 'free' },
  distillation: { uniform: 'free' },
  bi_level_gae: { uniform: 'free' },
  a_star_po: { uniform: 'free' },
};

const all = [
  ...builtInEstimators.map((declared) => ({ owner: 'built-in', declared })),
  ...(await workspacePlugins()).flatMap(({ name, definition }) =>
    (definition.estimators ?? []).map((declared) => ({ owner: name, declared })),
  ),
].map(({ owner, declared }) => ({ owner, declared, name: declarationsOf(declared)[0]?.name ?? '' }));

test('there are estimators to try, and no name that nobody has', () => {
  expect(all.length).toBeGreaterThan(builtInEstimators.length);
  const names = all.map(({ name }) => name);
  expect(Object.keys(SAYS_OTHERWISE).filter((name) => !names.includes(name))).toEqual([]);
});

describe.each(all)('$name of $owner', ({ name, declared }) => {
  test.each(estimatorContract(declared, SAYS_OTHERWISE[name]))('$name', ({ run }) => run());
});
