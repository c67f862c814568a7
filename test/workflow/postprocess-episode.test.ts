import { describe, expect, test } from 'vitest';
import { createEpisode, createStep, createTrajectory, type Trajectory } from '../../src/types/index.js';
import { postprocessEpisode, shapeStepRewards } from '../../src/workflow/index.js';

const PLAIN = { gamma: 0, rewardBonusCoeff: 0 };
const identity = { taskId: 't', rolloutIndex: 0 };

function trajectory(rewards: readonly number[], init: Partial<Trajectory> = {}): Trajectory {
  const steps = rewards.map((reward) => createStep({ reward, modelResponse: 'word' }));
  return createTrajectory({ name: 'solver', ...init, steps });
}

describe('postprocessEpisode', () => {
  test('keeps a reward that the workflow has set, unlike rLLM, and counts it for correctness and metrics', () => {
    const episode = createEpisode({ ...identity, trajectories: [trajectory([1, 0], { reward: -2 })] });
    expect(postprocessEpisode(episode, PLAIN)).toMatchObject({
      isCorrect: false,
      metrics: { solver_acc: -2 },
      trajectories: [{ reward: -2 }],
    });
  });

  test('keeps correctness that was given, true or false', () => {
    const lost = createEpisode({ ...identity, isCorrect: false, trajectories: [trajectory([1])] });
    const won = createEpisode({ ...identity, isCorrect: true, trajectories: [trajectory([0])] });
    expect(postprocessEpisode(lost, PLAIN).isCorrect).toBe(false);
    expect(postprocessEpisode(won, PLAIN).isCorrect).toBe(true);
  });

  test('adds its metrics to those of the workflow, which win, unlike rLLM', () => {
    const metrics = { solver_acc: 9, tries: 2 };
    const trajectories = [trajectory([1]), trajectory([0], { name: 'judge' })];
    const episode = createEpisode({ ...identity, metrics, trajectories });
    expect(postprocessEpisode(episode, PLAIN).metrics).toEqual({ solver_acc: 9, tries: 2, judge_acc: 0 });
  });

  test('drops a last step that holds nothing, and no other', () => {
    const whole = createStep({ modelResponse: 'word', reward: 1 });
    const tokensOnly = createStep({ responseIds: [1] });
    const nothing = createStep({ reward: 5 });
    const steps = [nothing, whole, tokensOnly];
    const episode = createEpisode({
      ...identity,
      trajectories: [createTrajectory({ steps }), createTrajectory({ steps: [whole, nothing] })],
    });
    const [kept, cut] = postprocessEpisode(episode, PLAIN).trajectories;
    expect(kept?.steps).toEqual(steps);
    expect(cut?.steps).toEqual([whole]);
    expect(cut?.reward).toBe(1);
  });

  test('is correct only if the rewards sum to more than 0', () => {
    const correct = (...rewards: number[]): boolean =>
      postprocessEpisode(
        createEpisode({ ...identity, trajectories: rewards.map((reward) => trajectory([reward])) }),
        PLAIN,
      ).isCorrect;
    expect(correct(1, -1)).toBe(false);
    expect(correct(1, -0.5)).toBe(true);
    expect(correct()).toBe(false);
    expect(correct(1, Number.NaN)).toBe(false);
  });

  test('leaves a reward that is not finite in place, and out of the metrics', () => {
    const trajectories = [
      trajectory([Number.NaN]),
      trajectory([1]),
      trajectory([Number.NaN], { name: 'judge' }),
    ];
    const after = postprocessEpisode(createEpisode({ ...identity, trajectories }), PLAIN);
    expect(after.metrics).toEqual({ solver_acc: 1 });
    expect(after.trajectories[0]?.reward).toBeNaN();
  });

  test('does not change what it is given', () => {
    const episode = createEpisode({ ...identity, trajectories: [trajectory([1, 2, 3])] });
    const before = JSON.stringify(episode);
    postprocessEpisode(episode, { gamma: 0.5, rewardBonusCoeff: 1 });
    expect(JSON.stringify(episode)).toBe(before);
  });
});

describe('shapeStepRewards', () => {
  test.each([
    { rewards: [1, 0, 2], gamma: 0, rewardBonusCoeff: 0.5, shaped: [1, -0.5, 3] },
    { rewards: [1, 0, 2], gamma: 0.5, rewardBonusCoeff: 0, shaped: [1.5, 1, 2] },
    // The bonus first, from raw rewards: [1, -0.5, 3]; then returns.
    { rewards: [1, 0, 2], gamma: 0.5, rewardBonusCoeff: 0.5, shaped: [1.5, 1, 3] },
    { rewards: [4], gamma: 0.5, rewardBonusCoeff: 1, shaped: [4] },
    { rewards: [], gamma: 0.5, rewardBonusCoeff: 1, shaped: [] },
  ])(
    '$rewards with gamma $gamma and bonus $rewardBonusCoeff gives $shaped',
    ({ rewards, shaped, ...shaping }) => {
      expect(shapeStepRewards(rewards, shaping)).toEqual(shaped);
    },
  );
});
