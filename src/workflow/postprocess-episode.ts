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
  const trajectories = episode.trajectories.map((trajectory) => completeTrajectory(trajectory, shaping));
  const total = trajectories.reduce((sum, { reward }) => sum + reward, 0);
  return {
    ...episode,
    isCorrect: isCorrect ?? total > 0,
    trajectories,
    metrics: { ...meanRewards(trajectories), ...episode.metrics },
  };
}

type Rewarded = Trajectory & { reward: number };

function completeTrajectory(trajectory: Trajectory, shaping: RewardShaping): Rewarded {
  const last = trajectory.steps.at(-1);
  const steps = last !== undefined && isUnfinished(last) ? trajectory.steps.slice(0, -1) : trajectory.steps;
  const raw = steps.map((step) => step.reward);
  const shaped = shapeStepRewards(raw, shaping);
  return {
    ...trajectory,
    steps: shaped === raw ? steps : steps.map((step, i) => ({ ...step, reward: shaped[i] ?? step.reward })),
    reward: trajectory.reward ?? raw.reduce((sum, reward) => sum + reward, 0),
  };
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
