import { describe, expect, test } from 'vitest';
import { calculateRlooAdvantages } from '../../src/advantage/index.js';
import { batchOf, groupOf, trajectoryOf } from '../../src/testing/index.js';

describe('a batch in few words', () => {
  test('has a group per row of rewards, of a task each', () => {
    const { rewards, groups, role, options } = batchOf([[1, 0], [1]], { role: 'solver' });
    expect(rewards).toEqual([Float64Array.of(1, 0), Float64Array.of(1)]);
    expect(
      groups.map(({ taskId, trajectories }) => [taskId, trajectories.map(({ reward }) => reward)]),
    ).toEqual([
      ['t0', [1, 0]],
      ['t1', [1]],
    ]);
    expect([role, options, groups[0]?.role]).toEqual(['solver', {}, 'solver']);
  });

  test('has the lengths, options, parts of rewards and settings that are asked for', () => {
    const { groups, options, algorithm } = batchOf([[1, 0]], {
      lengths: [[3, 0]],
      components: [[{ correct: 1 }, undefined]],
      options: { scale: 2 },
      algorithm: { loneTrajectory: 'zero' },
    });
    const trajectories = groups[0]?.trajectories ?? [];
    expect(trajectories.map(({ steps }) => steps.map(({ responseIds }) => responseIds.length))).toEqual([
      [3],
      [0],
    ]);
    expect(trajectories.map(({ rewards }) => rewards)).toEqual([{ correct: 1 }, undefined]);
    expect(options.scale).toBe(2);
    expect(algorithm).toMatchObject({ loneTrajectory: 'zero', missingReward: 'error' });
  });

  test('is what an estimator takes', () => {
    const { rewards } = batchOf([[1, 0, 0]]);
    expect(calculateRlooAdvantages(rewards).advantages).toEqual([Float64Array.of(1, -0.5, -0.5)]);
  });
});

describe('a trajectory in few words', () => {
  test('goes on with one conversation: prompts hold what was said and what was read', () => {
    const { steps } = trajectoryOf(1, [{ tokens: 2 }, { tokens: 3, observed: 4 }, {}]);
    expect(steps.map(({ promptIds }) => promptIds.length)).toEqual([3, 3 + 2 + 4, 9 + 3]);
    expect(steps.map(({ responseIds }) => responseIds.length)).toEqual([2, 3, 2]);
  });

  test('has a log-prob for each token, unless the sketch says otherwise', () => {
    const { steps } = trajectoryOf(null, [
      { tokens: 1 },
      { logprobs: [] },
      { logprobs: [-1, -2], values: [0, 1] },
    ]);
    expect(steps.map(({ logprobs }) => logprobs)).toEqual([[Math.log(0.5)], [], [-1, -2]]);
    expect(steps.map(({ values }) => values)).toEqual([undefined, undefined, [0, 1]]);
  });

  test('stands in a group with its rollout, when that is given', () => {
    const { metadata, trajectories } = groupOf([1, 0], { steps: [[{}, {}], [{}]], rollouts: [3, 3] });
    expect(metadata.map(({ taskId, rolloutIndex }) => [taskId, rolloutIndex])).toEqual([
      ['task', 3],
      ['task', 3],
    ]);
    expect(trajectories.map(({ steps }) => steps.length)).toEqual([2, 1]);
  });
});
