import type { Requirement } from '../advantage/index.js';
import { RllmError } from '../errors.js';
import { createStep, createTrajectory, type Trajectory, type TrajectoryGroup } from '../types/index.js';

export interface BanditSettings {
  /** Reward of each arm, in every task; at least two, not all equal. */
  readonly arms: readonly number[];
  /** Tasks: a batch has one group of each. */
  readonly groups: number;
  /** Trajectories per group. */
  readonly rollouts: number;
}

/**
 * A bandit whose policy gradient is known: task g has a softmax policy of its own over K arms, with logits θ_g.
 *
 * The best arms of task g share the probability (g + 1) / (G + 1) equally, the others share the rest: tasks go from hard to easy.
 * Choosing arm k says k + 1 tokens, the first of which is the choice; the others are certain, so that lengths differ and the
 * gradient is that of the choice alone.
 */
export interface Bandit extends BanditSettings {
  /** `policies[g][k]`, probabilities. */
  readonly policies: readonly Float64Array[];
  /** `values[g]` = Σₖ πₖ rₖ, the expected reward of a task. */
  readonly values: Float64Array;
  /** ∇J for J = mean of the values, shape [G·K]: ∂J/∂θ_gk = π_gk (r_k − V_g) / G. */
  readonly gradient: Float64Array;
}

/** Every other of `count` arms is right, as answers that can be verified are; each answer is one of several. */
export function armsOf(count: number): readonly number[] {
  return Array.from({ length: count }, (_none, k) => (k % 2 === 0 ? 1 : 0));
}

/** @throws RllmError USAGE for fewer than two arms, equal or non-finite rewards, no groups, no rollouts. */
export function createBandit(settings: BanditSettings): Bandit {
  const { arms, groups, rollouts } = settings;
  checkSettings(settings);
  const most = Math.max(...arms);
  const best = arms.filter((reward) => reward === most).length;
  const policies = Array.from({ length: groups }, (_none, g) => {
    const solved = (g + 1) / (groups + 1);
    return Float64Array.from(arms, (reward) =>
      reward === most ? solved / best : (1 - solved) / (arms.length - best),
    );
  });
  const values = Float64Array.from(policies, (policy) =>
    policy.reduce((sum, probability, k) => sum + probability * (arms[k] as number), 0),
  );
  const gradient = new Float64Array(groups * arms.length);
  policies.forEach((policy, g) => {
    for (let k = 0; k < arms.length; k++) {
      const better = (arms[k] as number) - (values[g] as number);
      gradient[g * arms.length + k] = ((policy[k] as number) * better) / groups;
    }
  });
  return { arms, groups, rollouts, policies, values, gradient };
}

/** What an estimator may read of the bandit's trajectories; the critic is exact. */
export const BANDIT_PROVIDES: ReadonlySet<Requirement> = new Set<Requirement>([
  'lengths',
  'logprobs',
  'values',
  'greedyBaseline',
  'stepAnchors',
]);

/**
 * Makes the groups of batch after batch from one pool of trajectories, so that only the first batch costs memory. An estimation
 * overwrites the advantages of the one before.
 *
 * @returns  takes the arm of each trajectory, shape [G·N].
 */
export function batchMaker(bandit: Bandit): (choices: ArrayLike<number>) => TrajectoryGroup[] {
  const { policies, arms, rollouts } = bandit;
  const each = Array.from({ length: rollouts }, (_none, i) => i);
  const tasks = policies.map((policy, g) => {
    const taskId = String(g);
    const greedy = policy.indexOf(Math.max(...policy));
    return {
      pool: each.map((i) => arms.map((_reward, k) => trajectoryOf(bandit, g, k, `${g}:${i}:${k}`))),
      fixed: {
        groupId: taskId,
        role: 'agent',
        taskId,
        metadata: each.map((i) => ({
          taskId,
          rolloutIndex: i,
          isCorrect: false,
        })),
        baselines: [trajectoryOf(bandit, g, greedy, `${g}:greedy`)],
      },
    };
  });
  return (choices) =>
    tasks.map(({ pool, fixed }, g) => ({
      ...fixed,
      trajectories: pool.map((byArm, i) => byArm[choices[g * rollouts + i] as number] as Trajectory),
    }));
}

function trajectoryOf({ arms, policies, values }: Bandit, g: number, k: number, uid: string): Trajectory {
  const reward = arms[k] as number;
  const certain = new Array<number>(k).fill(0);
  const step = createStep({
    id: uid,
    responseIds: [k, ...certain],
    logprobs: [Math.log(policies[g]?.[k] as number), ...certain],
    observation: g,
    reward,
    done: true,
  });
  step.values = [values[g] as number, ...certain.map(() => reward)];
  return { ...createTrajectory({ uid, name: 'agent', steps: [step] }), reward };
}

/** Twice the tokens of the trajectories that a batch is made of. */
const MOST_TOKENS = 2 ** 25;

function checkSettings({ arms, groups, rollouts }: BanditSettings): void {
  const isFine = arms.length >= 2 && arms.every(Number.isFinite) && arms.some((reward) => reward !== arms[0]);
  if (!isFine) {
    throw new RllmError(
      'USAGE',
      `A bandit has two arms or more, with finite rewards that are not all equal; given [${arms.join(', ')}].`,
    );
  }
  const tokens = groups * rollouts * arms.length * (arms.length + 1);
  if (tokens > MOST_TOKENS) {
    throw new RllmError(
      'USAGE',
      `A bandit of ${arms.length} arms, ${groups} groups and ${rollouts} rollouts is more than can be kept; lower one of them.`,
    );
  }
  for (const [name, count] of Object.entries({ groups, rollouts })) {
    if (!Number.isInteger(count) || count < 1) {
      throw new RllmError('USAGE', `The bandit's ${name} are a whole number of 1 or more; given ${count}.`);
    }
  }
}
