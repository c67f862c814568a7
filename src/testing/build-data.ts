import type { AdvantageBatch } from '../advantage/index.js';
import { type AlgorithmConfig, DEFAULT_CONFIG } from '../config/index.js';
import {
  createEpisode,
  createStep,
  createTrajectory,
  type Episode,
  type Step,
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
      .map((one, index) => plainTrajectory(`${taskId}:${rolloutIndex}:${role}:${index}`, role, one, steps)),
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

/** A group in few words. */
export interface GroupSketch {
  readonly taskId?: string;
  readonly role?: string;
  /** Steps of each trajectory: how many, 1 by default; or what is in them, `steps[i][s]`. */
  readonly steps?: number | readonly (readonly StepSketch[])[];
  /** Named parts of each reward; absent for a trajectory that has none. */
  readonly components?: readonly (Readonly<Record<string, number>> | undefined)[];
  /** Rollout of each trajectory; by default each is of its own. */
  readonly rollouts?: readonly number[];
}

/** The group of one role of one task, a trajectory per reward: what an estimator is given. */
export function groupOf(rewards: readonly (number | null)[], sketch: GroupSketch = {}): TrajectoryGroup {
  const { taskId = 'task', role = 'agent', steps = 1, components = [], rollouts = [] } = sketch;
  return {
    groupId: `${taskId}:${role}`,
    role,
    taskId,
    trajectories: rewards.map((reward, i) => {
      const uid = `${taskId}:${i}:${role}:0`;
      const trajectory =
        typeof steps === 'number'
          ? plainTrajectory(uid, role, reward, steps)
          : trajectoryOf(reward, steps[i] ?? [], { uid, role });
      const parts = components[i];
      if (parts !== undefined) trajectory.rewards = { ...parts };
      return trajectory;
    }),
    metadata: rewards.map((reward, i) => {
      const rolloutIndex = rollouts[i] ?? i;
      return {
        taskId,
        rolloutIndex,
        terminationReason: 'env_done',
        isCorrect: (reward ?? 0) > 0,
      };
    }),
  };
}

/** What `batchOf` makes a batch of, besides rewards. */
export interface BatchSketch<Options> {
  readonly role?: string;
  /** `lengths[g][i]`: response tokens of the one step of each trajectory; 2 by default. */
  readonly lengths?: readonly (readonly number[])[];
  /** Steps of each trajectory, `steps[g][i][s]`, in place of `lengths`. */
  readonly steps?: readonly (readonly (readonly StepSketch[])[])[];
  /** Named parts of each reward, `components[g][i]`. */
  readonly components?: readonly (readonly (Readonly<Record<string, number>> | undefined)[])[];
  /** What the estimator's schema gives; `{}` by default. */
  readonly options?: Options;
  /** Settings that are not the default. */
  readonly algorithm?: Partial<AlgorithmConfig>;
}

/**
 * What an estimator is called with, for tests that call it themselves: `estimator.estimate(batchOf([[1, 0], [1, 1]]))`.
 *
 * @param rewards  `rewards[g][i]`; group g is that of the task `t{g}`.
 */
export function batchOf<Options = Record<string, never>>(
  rewards: readonly (readonly number[])[],
  sketch: BatchSketch<Options> = {},
): AdvantageBatch<Options> {
  const { role = 'agent', lengths, components, algorithm } = sketch;
  return {
    role,
    rewards: rewards.map((own) => Float64Array.from(own)),
    groups: rewards.map((own, g) =>
      groupOf(own, {
        taskId: `t${g}`,
        role,
        steps: sketch.steps?.[g] ?? own.map((_, i) => [{ tokens: lengths?.[g]?.[i] ?? 2 }]),
        ...(components?.[g] === undefined ? {} : { components: components[g] }),
      }),
    ),
    algorithm: { ...DEFAULT_CONFIG.algorithm, ...algorithm },
    options: sketch.options ?? ({} as Options),
  };
}

/** One step in few words. */
export interface StepSketch
  extends Partial<
    Pick<
      Step,
      'observation' | 'action' | 'values' | 'referenceLogprobs' | 'teacherLogprobs' | 'logprobs' | 'reward'
    >
  > {
  /** Sampled tokens; 2 by default. Their log-probs are ln ½, unless `logprobs` says otherwise; an empty list for none. */
  readonly tokens?: number;
  /** Tokens read since the step before; 0 by default. */
  readonly observed?: number;
}

/** A trajectory whose steps go on with one conversation: each prompt holds all that came before, and what was read. */
export function trajectoryOf(
  reward: number | null,
  steps: readonly StepSketch[],
  { uid = 'trajectory', role = 'agent' }: { readonly uid?: string; readonly role?: string } = {},
): Trajectory {
  let context = 3;
  return createTrajectory({
    uid,
    name: role,
    ...(reward === null ? {} : { reward }),
    steps: steps.map(({ tokens = 2, observed = 0, logprobs, ...fields }, s) => {
      const prompt = context + (s === 0 ? 0 : observed);
      context = prompt + tokens;
      return createStep({
        ...fields,
        id: `${uid}:${s}`,
        promptIds: new Array<number>(prompt).fill(1),
        responseIds: new Array<number>(tokens).fill(2),
        logprobs: logprobs ?? new Array<number>(tokens).fill(Math.log(0.5)),
      });
    }),
  });
}

function plainTrajectory(uid: string, name: string, reward: number | null, steps: number): Trajectory {
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
