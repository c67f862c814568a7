import { collectRewardsAndAdvantages } from 'rllm-sdk';
import { expect, test } from 'vitest';
import { algorithmOf, estimate, flat, groupOfTrajectories, trajectoryOf, withRegistry } from './support.js';

const LOGPROBS = [-1, -2, -0.5];
const LOG_RATIOS = [0.1, -0.2, 0.3];
const VALUES = [0.1, 0.2, 0.3];

/** Two steps of two and one token, with the reward 1. */
function twoSteps(ratios: readonly number[]) {
  const [a = 0, b = 0, c = 0] = LOGPROBS;
  const [da = 0, db = 0, dc = 0] = ratios;
  return groupOfTrajectories([
    trajectoryOf(1, [
      { tokens: 2, logprobs: [a, b], referenceLogprobs: [a - da, b - db], values: VALUES.slice(0, 2) },
      { tokens: 1, observed: 4, logprobs: [c], referenceLogprobs: [c - dc], values: VALUES.slice(2) },
    ]),
  ]);
}

test('each token pays for its own KL, by hand', async () => {
  const options = { coefficient: 0.5, whiten: false };
  const [first, second, third] = flat(await estimate('gae_kl', [twoSteps(LOG_RATIOS)], { options }));
  expect(first).toBeCloseTo(0.736375, 12);
  expect(second).toBeCloseTo(0.7225, 12);
  expect(third).toBeCloseTo(0.55, 12);
});

test('a difference counts in any direction by abs', async () => {
  const options = { coefficient: 0.5, klEstimator: 'abs', whiten: false };
  const up = flat(await estimate('gae_kl', [twoSteps(LOG_RATIOS)], { options }));
  const down = flat(await estimate('gae_kl', [twoSteps(LOG_RATIOS.map((d) => -d))], { options }));
  up.forEach((advantage, t) => {
    expect(advantage).toBeCloseTo(down[t] ?? Number.NaN, 12);
  });
  expect(up[1]).toBeCloseTo(0.1 - 0.5 * 0.2 + 0.95 * 0.55, 12);
});

test('without a KL it is gae, to the last digit', async () => {
  const same = [twoSteps([0, 0, 0]), twoSteps([0, 0, 0])];
  const free = [twoSteps(LOG_RATIOS), twoSteps([0.3, 0, 0])];
  expect(flat(await estimate('gae_kl', same))).toEqual(flat(await estimate('gae', same)));
  expect(flat(await estimate('gae_kl', free, { options: { coefficient: 0 } }))).toEqual(
    flat(await estimate('gae', free)),
  );
});

test('the critic learns returns with the KL in them', async () => {
  const group = twoSteps(LOG_RATIOS);
  const options = { coefficient: 0.5, lambda: 1 };
  await withRegistry((registry) =>
    collectRewardsAndAdvantages([group], algorithmOf('gae_kl', options), { registry }),
  );
  const returns = group.trajectories[0]?.steps.flatMap((step) => step.returns ?? []);
  [1 - 0.5 * 0.2, 1 - 0.5 * 0.1, 1 - 0.5 * 0.3].forEach((expected, t) => {
    expect(returns?.[t]).toBeCloseTo(expected, 12);
  });
});
