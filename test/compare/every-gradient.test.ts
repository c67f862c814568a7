import { expect, test } from 'vitest';
import { builtInEstimators, EstimatorRegistry } from '../../src/advantage/index.js';
import {
  armsOf,
  BANDIT_PROVIDES,
  compareGradients,
  createBandit,
  parseColumn,
  prepareColumns,
} from '../../src/compare/index.js';
import { declarationsOf } from '../../src/declarations.js';
import { algorithm } from '../advantage/support.js';
import { workspacePlugins } from '../workspace-plugins.js';

/**
 * What each estimator's definition makes of its gradient, at 8 rollouts: `unbiased`; `short`, (N − 1)/N of the truth in its
 * direction, as a mean that holds the own reward makes it; `scaled`, of another length and at most a little turned; `turned`, that
 * of another objective.
 */
const SAYS: Readonly<Record<string, 'unbiased' | 'short' | 'scaled' | 'turned'>> = {
  reinforce: 'unbiased',
  rloo: 'unbiased',
  // Its baseline is of what came before.
  rae: 'unbiased',
  remax: 'unbiased',
  dr_grpo: 'short',
  hierarchical_grpo: 'short',
  step_reinforce: 'short',
  per_step_discounted: 'short',
  // A mean that is weighted by lengths, which depend on the choice.
  opo: 'scaled',
  // The std of a group gives tasks of little spread a little more weight.
  grpo: 'scaled',
  grpo_scaled: 'scaled',
  per_step: 'scaled',
  rloo_normalized: 'scaled',
  // Batch statistics rescale all tasks alike.
  prpo: 'scaled',
  reinforce_plus_plus_baseline: 'scaled',
  mean_std_level: 'scaled',
  reinforce_plus_plus: 'scaled',
  reinforce_plus_plus_baseline_tokens: 'scaled',
  gae: 'scaled',
  bi_level_gae: 'scaled',
  optimal_token_baseline: 'scaled',
  // The term of the group, and as much again of the step.
  gigpo: 'scaled',
  // Its factor is larger in a batch of few successes.
  gpg: 'scaled',
  // Hard tasks count more: the gradient of log p, of the best of k, of the log of the mean of exp(βr).
  maxrl: 'turned',
  grpo_passk: 'turned',
  entropic: 'turned',
  entropic_adaptive_beta: 'turned',
};

/** Fed by what a bandit does not have. */
const NOT_FED = [
  'gdpo',
  'reinforce_plus_plus_kl',
  'gae_kl',
  'kl_shaped',
  'distillation',
  'rlsd',
  'a_star_po',
];

const registry = new EstimatorRegistry();
const brought = (await workspacePlugins()).flatMap(({ definition }) => definition.estimators ?? []);
for (const declared of [...builtInEstimators, ...brought]) {
  for (const declaration of declarationsOf(declared)) {
    if (!registry.has(declaration.name)) registry.add(declaration, 'test');
  }
}

const rollouts = 8;
const bandit = createBandit({ arms: armsOf(8), groups: 4, rollouts });
const { ready, leftOut } = await prepareColumns(registry.names().map(parseColumn), {
  ...{ algorithm: algorithm(), registry, provides: BANDIT_PROVIDES },
  size: { rollouts, tasksPerBatch: 4 },
});
const { columns } = compareGradients(bandit, ready, registry, { batches: 1000, seed: 11 });

test('every estimator says what its gradient is, or is not fed', () => {
  const named = [...Object.keys(SAYS), ...NOT_FED];
  expect([...registry.names()].sort()).toEqual(named.sort());
  expect(leftOut.map(({ label }) => label).sort()).toEqual([...NOT_FED].sort());
});

test.each(columns)('the gradient of $label is what it says', ({ label, statistics }) => {
  const { isBiased, normRatio, cosine } = statistics;
  const says = SAYS[label];
  expect(isBiased).toBe(says !== 'unbiased');
  const within = 4 * normRatio.standardError;
  const off = 1 - (cosine?.value ?? 0);
  if (says === 'unbiased') expect(Math.abs(normRatio.value - 1)).toBeLessThan(within);
  if (says === 'short') expect(Math.abs(normRatio.value - (rollouts - 1) / rollouts)).toBeLessThan(within);
  if (says === 'scaled') expect(Math.abs(normRatio.value - 1)).toBeGreaterThan(within);
  if (says === 'turned') expect(off - 4 * (cosine?.standardError ?? 0)).toBeGreaterThan(0.02);
  else expect(off).toBeLessThan(0.005);
});
