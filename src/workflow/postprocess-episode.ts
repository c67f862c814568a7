import { type Episode, isLeftOut, type Step, type Trajectory } from '../types/index.js';
import { type RewardShaping, shapeStepRewards } from './step-rewards.js';

/**
 * Completes an episode in the order of rLLM, and keeps what the workflow has set (rLLM overwrites it):
 *
 * 1. a last step that holds nothing (no messages, no tokens, no text) is dropped: the rollout ended before its model call;
 * 2. a trajectory without a reward gets the sum of its raw step rewards;
 * 3. step rewards are shaped, which never changes the trajectory's reward;
 * 4. the episode is correct if its trajectory rewards sum to more than 0, unless `isCorrect` was given;
 * 5. `{name}_acc`, the mean reward of the trajectories of a name, joins the metrics where the workflow has none of that
 *    name. A reward that is not finite is left out of the mean; the core deals with it by `algorithm.missingReward`.
 *
 * @returns a new episode; neither the one given nor its trajectories are modified.
 */
export function postprocessEpisode(episode: Episode, shaping: RewardShaping): Episode {
  return completeEpisode(episode, isLeftOut(episode, 'isCorrect') ? undefined : episode.isCorrect, shaping);
}

/** `postprocessEpisode` with correctness as it was given, `undefined` to decide it by the rewards. */
export function completeEpisode(
  episode: Episode,
  isCorrect: boolean | undefined,
  shaping: RewardShaping,
): Episode {
  return finishEpisode(withoutUnfinishedSteps(episode), isCorrect, shaping);
}

/** Item 1 of `postprocessEpisode`. */
export function withoutUnfinishedSteps(episode: Episode): Episode {
  const trajectories = episode.trajectories.map((trajectory) => {
    const last = trajectory.steps.at(-1);
    const isWhole = last === undefined || !isUnfinished(last);
    return isWhole ? trajectory : { ...trajectory, steps: trajectory.steps.slice(0, -1) };
  });
  return { ...episode, trajectories };
}

/** Item 4 of `postprocessEpisode`, for rewards as they are now. */
export function isCorrectByRewards({ trajectories }: Episode): boolean {
  return trajectories.reduce((sum, trajectory) => sum + rewardOf(trajectory), 0) > 0;
}

/** Items 2 to 5 of `postprocessEpisode`. */
export function finishEpisode(
  episode: Episode,
  isCorrect: boolean | undefined,
  shaping: RewardShaping,
): Episode {
  const trajectories = episode.trajectories.map((trajectory) => completeTrajectory(trajectory, shaping));
  return {
    ...episode,
    isCorrect: isCorrect ?? isCorrectByRewards({ ...episode, trajectories }),
    trajectories,
    metrics: { ...meanRewards(trajectories), ...episode.metrics },
  };
}

type Rewarded = Trajectory & { reward: number };

function completeTrajectory(trajectory: Trajectory, shaping: RewardShaping): Rewarded {
  const { steps } = trajectory;
  const raw = steps.map((step) => step.reward);
  const shaped = shapeStepRewards(raw, shaping);
  return {
    ...trajectory,
    steps: shaped === raw ? steps : steps.map((step, i) => ({ ...step, reward: shaped[i] ?? step.reward })),
    reward: rewardOf(trajectory),
  };
}

function rewardOf({ reward, steps }: Trajectory): number {
  return reward ?? steps.reduce((sum, step) => sum + step.reward, 0);
}

function isUnfinished(step: Step): boolean {
  return step.chatCompletions.length === 0 && step.responseIds.length === 0 && step.modelResponse === '';
}

function meanRewards(trajectories: readonly Rewarded[]): Record<string, number> {
  const means: Record<string, number> = {};
  for (const { name } of trajectories) {
    const metric = `${name}_acc`;
    if (metric in means) continue;
    const scored = trajectories.filter((other) => other.name === name && Number.isFinite(other.reward));
    if (scored.length > 0)
      means[metric] = scored.reduce((sum, { reward }) => sum + reward, 0) / scored.length;
  }
  return means;
}
