import {
  createEpisode,
  createStep,
  createTrajectory,
  type Episode,
  type TerminationReason,
  type Trajectory,
  type TrajectoryGroup,
} from '../types/index.js';

/** An episode in few words. */
export interface EpisodeSketch {
  readonly taskId?: string;
  readonly rolloutIndex?: number;
  /** Reward of each trajectory by role; a list makes several trajectories of the role. `null` leaves it absent. */
  readonly rewards?: Readonly<Record<string, number | null | readonly (number | null)[]>>;
  /** Steps per trajectory; 1 by default, 0 for a model that was never heard. */
  readonly steps?: number;
  /** By default true when the rewards sum to more than 0. */
  readonly isCorrect?: boolean;
  readonly terminationReason?: TerminationReason;
  readonly metrics?: Readonly<Record<string, number>>;
}

/** An episode with real tokens and log-probs, made from a sketch; everything left out has a plain default. */
export function episodeOf(sketch: EpisodeSketch = {}): Episode {
  const { taskId = 'task', rolloutIndex = 0, rewards = { agent: 1 }, steps = 1 } = sketch;
  const trajectories = Object.entries(rewards).flatMap(([role, reward]) =>
    [reward]
      .flat()
      .map((one, index) => trajectoryOf(`${taskId}:${rolloutIndex}:${role}:${index}`, role, one, steps)),
  );
  const total = trajectories.reduce((sum, trajectory) => sum + (trajectory.reward ?? 0), 0);
  return createEpisode({
    taskId,
    rolloutIndex,
    task: { id: taskId },
    trajectories,
    isCorrect: sketch.isCorrect ?? total > 0,
    terminationReason: sketch.terminationReason ?? 'env_done',
    metrics: { ...sketch.metrics },
  });
}

/** The group of one role of one task, a trajectory per reward: what an estimator is given. */
export function groupOf(
  rewards: readonly (number | null)[],
  sketch: { readonly taskId?: string; readonly role?: string; readonly steps?: number } = {},
): TrajectoryGroup {
  const { taskId = 'task', role = 'agent', steps = 1 } = sketch;
  return {
    groupId: `${taskId}:${role}`,
    role,
    taskId,
    trajectories: rewards.map((reward, i) => trajectoryOf(`${taskId}:${i}:${role}:0`, role, reward, steps)),
    metadata: rewards.map((reward, i) => ({
      taskId,
      rolloutIndex: i,
      episodeId: `${taskId}:${i}`,
      terminationReason: 'env_done',
      isCorrect: (reward ?? 0) > 0,
    })),
  };
}

function trajectoryOf(uid: string, name: string, reward: number | null, steps: number): Trajectory {
  return createTrajectory({
    uid,
    name,
    ...(reward === null ? {} : { reward }),
    steps: Array.from({ length: steps }, (_, i) =>
      createStep({
        id: `${uid}:${i}`,
        promptIds: [1, 2, 3],
        responseIds: [4, 5],
        logprobs: [Math.log(0.5), Math.log(0.25)],
        chatCompletions: [
          { role: 'user', content: 'question' },
          { role: 'assistant', content: 'answer' },
        ],
        modelResponse: 'answer',
      }),
    ),
  });
}
