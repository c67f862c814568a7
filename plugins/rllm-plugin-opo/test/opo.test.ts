import { createApp, createStep, createTrajectory, resolveConfig, type TrajectoryGroup } from 'rllm-sdk';
import { describe, expect, test } from 'vitest';
import opo, { calculateOpoAdvantages } from '../src/index.js';

describe('the length-weighted baseline', () => {
  test.each([
    {
      what: 'the example of the paper',
      rewards: [1, 0, 0],
      lengths: [100, 200, 300],
      expected: [5 / 6, -1 / 6, -1 / 6],
    },
    { what: 'equal lengths give the plain mean', rewards: [1, 0], lengths: [10, 10], expected: [0.5, -0.5] },
    {
      what: 'a reward without tokens does not count',
      rewards: [2, 4, 9],
      lengths: [1, 3, 0],
      expected: [-1.5, 0.5, 5.5],
    },
    { what: 'no tokens at all give the plain mean', rewards: [3, 1], lengths: [0, 0], expected: [1, -1] },
    { what: 'a lone trajectory keeps its reward', rewards: [0.25], lengths: [7], expected: [0.25] },
  ])('$what', ({ rewards, lengths, expected }) => {
    const [advantages] = calculateOpoAdvantages([rewards], [lengths]);
    expect(advantages).toHaveLength(expected.length);
    for (const [i, value] of expected.entries()) expect(advantages?.[i]).toBeCloseTo(value, 14);
  });

  test.each([0.1, 0.7, 1 / 3])('rewards that are all %d give exactly 0', (reward) => {
    const [advantages] = calculateOpoAdvantages([[reward, reward, reward]], [[3, 5, 7]]);
    expect([...(advantages ?? [])]).toEqual([0, 0, 0]);
  });

  test('groups do not touch each other, and the input is left alone', () => {
    const rewards = [Float64Array.of(1, 0), Float64Array.of(10, 20)];
    const advantages = calculateOpoAdvantages(rewards, [
      [1, 3],
      [1, 1],
    ]);
    expect(advantages.map((group) => [...group])).toEqual([
      [0.75, -0.25],
      [-5, 5],
    ]);
    expect(rewards.map((group) => [...group])).toEqual([
      [1, 0],
      [10, 20],
    ]);
  });

  test('a group with too few lengths is an error that names it', () => {
    expect(() => calculateOpoAdvantages([[1], [1, 2]], [[1], [1]])).toThrow(
      'group 1 has 2 rewards and 1 lengths',
    );
  });
});

describe('the plugin', () => {
  const group = (
    rewards: readonly number[],
    stepLengths: readonly (readonly number[])[],
  ): TrajectoryGroup => ({
    groupId: 't:solver',
    role: 'solver',
    taskId: 't',
    trajectories: rewards.map((reward, i) =>
      createTrajectory({
        name: 'solver',
        reward,
        steps: (stepLengths[i] ?? []).map((length) =>
          createStep({ promptIds: [1, 2, 3], responseIds: new Array<number>(length).fill(0) }),
        ),
      }),
    ),
    metadata: rewards.map((_, rolloutIndex) => ({
      taskId: 't',
      rolloutIndex,
      episodeId: `t:${rolloutIndex}`,
      isCorrect: false,
    })),
  });

  test('an app that has it estimates by name, counting sampled tokens over all steps and no prompt', async () => {
    await using app = await createApp(
      { algorithm: { estimator: 'opo' } },
      { plugins: [opo], useDeclared: false },
    );
    const { advantages } = app.estimators.get('opo').estimate({
      role: 'solver',
      rewards: [Float64Array.of(1, 0, 0)],
      groups: [group([1, 0, 0], [[40, 60], [200], [100, 100, 100]])],
      algorithm: resolveConfig({}).algorithm,
    });
    expect(advantages).toHaveLength(1);
    const [first] = advantages as readonly Float64Array[];
    expect(first?.[0]).toBeCloseTo(5 / 6, 14);
    expect(first?.[1]).toBeCloseTo(-1 / 6, 14);
  });

  test('it says what it is, and that it needs lengths', async () => {
    await using app = await createApp({}, { plugins: [opo], useDeclared: false });
    expect(app.estimators.list().find(({ name }) => name === 'opo')).toMatchObject({
      owner: 'rllm-plugin-opo',
      paper: 'https://arxiv.org/abs/2505.23585',
      scope: 'group',
      requires: ['lengths'],
    });
  });
});
