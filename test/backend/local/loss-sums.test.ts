import { expect, test } from 'vitest';
import { sumLoss } from '../../../src/backend/local/loss-sums.js';
import { lossTrees } from '../../../src/backend/local/loss-tree.js';
import { microBatches } from '../../../src/backend/local/micro-batch.js';
import type { Loss } from '../../../src/backend/loss.js';

const SAMPLED = Math.log(0.5);

/** What is clipped of one token that trajectories with these advantages chose, at a ratio. */
function clippedOf(loss: Loss, ratio: number, advantages: readonly number[]): number {
  const rows = advantages.map((advantage) => ({
    row: { tokens: [0], targets: [1], logprobs: [SAMPLED], sampled: [1] as const, spans: [] },
    loss,
    advantages: Float64Array.of(advantage),
  }));
  const logprobs = Float64Array.of(Number.NaN, SAMPLED + Math.log(ratio));
  return lossTrees(rows)
    .flatMap((tree) => microBatches(tree, 2))
    .reduce((sum, batch) => sum + sumLoss(batch, logprobs).clipped, 0);
}

const PPO: Loss = { name: 'ppo', low: 0.8, high: 1.2 };
const CISPO: Loss = { name: 'cispo', low: 0.8, high: 1.2 };

test.each([
  [PPO, 1.5, [1, -1], 1],
  [PPO, 1.5, [1, 1, 0.5, -3], 3],
  [PPO, 0.5, [1, 1, 0.5, -3], 1],
  [PPO, 1, [1, -1], 0],
  [CISPO, 1.5, [1, -1], 2],
  [{ name: 'dro', beta: 1 } satisfies Loss, 1.5, [1, -1], 0],
] as const)(
  '%j at ratio %d clips those of the advantages %j that it clips apart: %d',
  (loss, ratio, advantages, clipped) => {
    expect(clippedOf(loss, ratio, advantages)).toBe(clipped);
    const apart = advantages.map((advantage) => clippedOf(loss, ratio, [advantage]));
    expect(apart.reduce((sum, one) => sum + one, 0)).toBe(clipped);
  },
);
