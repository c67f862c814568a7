import { expect, test } from 'vitest';
import { isClipped, type Loss, lossOfRole, tokenLoss } from '../../src/backend/loss.js';
import { ALGORITHM } from './local/build-local.js';

const PPO: Loss = { name: 'ppo', low: 0.8, high: 1.2 };
const one = (advantage: number) => ({
  positive: Math.max(advantage, 0),
  negative: Math.min(advantage, 0),
  count: 1,
});

test.each<[string, Loss, number, number, number]>([
  ['importance_sampling', { name: 'importance_sampling' }, 1.5, 2, -3],
  ['ppo above the bound, good token', PPO, 1.5, 2, -2.4],
  ['ppo above the bound, bad token', PPO, 1.5, -2, 3],
  ['ppo below the bound, good token', PPO, 0.5, 2, -1],
  ['ppo below the bound, bad token', PPO, 0.5, -2, 1.6],
  ['cispo', { name: 'cispo', low: 0, high: 4 }, 5, 2, -4 * 2 * Math.log(5 / 10)],
  ['dro', { name: 'dro', beta: 0.05 }, 2, 3, -(3 * Math.log(0.2) - 0.025 * Math.log(2) ** 2)],
  ['cross_entropy', { name: 'cross_entropy' }, 2, 3, -3 * Math.log(0.2)],
])('loss by hand: %s', (_, loss, ratio, advantage, expected) => {
  // Sampled with probability 0.1, now `ratio` times as likely.
  expect(tokenLoss(loss, Math.log(0.1 * ratio), Math.log(0.1), one(advantage))).toBeCloseTo(expected, 12);
});

test('one token that stands for several trajectories has the sum of their losses', () => {
  const advantages = [1, -0.5, 0.25, -2];
  const sum = { positive: 1.25, negative: -2.5, count: 4 };
  const losses: Loss[] = [
    PPO,
    { name: 'importance_sampling' },
    { name: 'cispo', low: 0.9, high: 1.1 },
    { name: 'dro', beta: 0.3 },
    { name: 'cross_entropy' },
  ];
  for (const loss of losses) {
    for (const ratio of [0.5, 1, 1.5]) {
      const logp = Math.log(0.1 * ratio);
      const apart = advantages.reduce(
        (total, advantage) => total + tokenLoss(loss, logp, Math.log(0.1), one(advantage)),
        0,
      );
      expect(tokenLoss(loss, logp, Math.log(0.1), sum)).toBeCloseTo(apart, 12);
    }
  }
});

test('a token counts as clipped when its bound takes effect', () => {
  const clipped = (loss: Loss, ratio: number, advantage: number): boolean =>
    isClipped(loss, Math.log(0.1 * ratio), Math.log(0.1), one(advantage));
  expect([clipped(PPO, 1.3, 1), clipped(PPO, 1.3, -1), clipped(PPO, 0.7, 1), clipped(PPO, 0.7, -1)]).toEqual([
    true,
    false,
    false,
    true,
  ]);
  expect(clipped({ name: 'cispo', low: 0, high: 4 }, 4.5, 1)).toBe(true);
  expect(clipped({ name: 'dro', beta: 1 }, 9, 1)).toBe(false);
});

test('a role takes the loss named for it, else the one named for all, else the default of its estimator', () => {
  const algorithm = {
    ...ALGORITHM,
    estimator: 'rloo',
    estimatorMap: { solver: 'grpo' },
    lossFnMap: { judge: 'cispo' },
  };
  expect(lossOfRole('solver', algorithm)).toEqual({ name: 'ppo', low: 0.8, high: 1.2 });
  expect(lossOfRole('judge', algorithm)).toEqual({ name: 'cispo', low: 0, high: 4 });
  expect(lossOfRole('other', algorithm)).toEqual({ name: 'importance_sampling' });
  expect(lossOfRole('other', { ...algorithm, lossFn: 'dro' })).toEqual({ name: 'dro', beta: 0.05 });
  expect(lossOfRole('judge', { ...algorithm, lossFn: 'dro' }).name).toBe('cispo');
});

test.each(['constructor', 'toString', 'valueOf'])('the role %s takes the loss of any other role', (role) => {
  const algorithm = { ...ALGORITHM, estimator: 'grpo', lossFn: null, estimatorMap: {}, lossFnMap: {} };
  expect(lossOfRole(role, algorithm)).toEqual(lossOfRole('solver', algorithm));
  expect(lossOfRole('solver', { ...algorithm, estimator: role }).name).toBe('importance_sampling');
});

test('thresholds of the config take the place of the defaults', () => {
  const lossConfig = { clipLowThreshold: 0.9, clipHighThreshold: 1.5, beta: 0.1 };
  expect(lossOfRole('x', { ...ALGORITHM, lossFn: 'ppo', lossConfig })).toEqual({
    name: 'ppo',
    low: 0.9,
    high: 1.5,
  });
  expect(lossOfRole('x', { ...ALGORITHM, lossFn: 'dro', lossConfig })).toEqual({ name: 'dro', beta: 0.1 });
});
