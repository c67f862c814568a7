import * as z from 'zod';
import { isMet, type Requirement } from '../advantage/index.js';
import { RllmError } from '../errors.js';
import { createStep, createTrajectory, type Trajectory, type TrajectoryGroup } from '../types/index.js';
import type { ComparisonInput } from './comparison-input.js';

/** Rewards written down by hand. All lists have the outer shape `[g][i]`: trajectory i of group g. */
export interface RewardTable {
  readonly rewards: readonly (readonly (number | null)[])[];
  /** Response tokens of each trajectory; without it each has one token and no estimator that needs lengths is fed. */
  readonly lengths?: readonly (readonly number[])[] | undefined;
  /** Named parts of each reward. */
  readonly components?: readonly (readonly Readonly<Record<string, number>>[])[] | undefined;
  /** Reward of a greedy rollout of each group, `[g]`. */
  readonly greedy?: readonly number[] | undefined;
}

/** A null is a reward that is missing. */
const rewards = z.array(z.array(z.number().nullable()).min(1)).min(1);

/** Far beyond any context window; a table is a thing of memory. */
const LONGEST = 1_000_000;

const table = z.strictObject({
  rewards,
  lengths: z.array(z.array(z.int().min(1).max(LONGEST))).optional(),
  components: z.array(z.array(z.record(z.string(), z.number()))).optional(),
  greedy: z.array(z.number()).optional(),
});

/**
 * What a person gave as JSON: `[[1, 0], [1, 1]]`, or `{ rewards, lengths?, components?, greedy? }`.
 *
 * @param from  what messages call it, for example the file's name.
 * @throws RllmError USAGE when it is neither, or the shapes do not agree.
 */
export function readRewardTable(value: unknown, from: string): RewardTable {
  const parsed = Array.isArray(value) ? rewards.safeParse(value) : table.safeParse(value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const path = issue?.path.map((key) => (typeof key === 'number' ? `[${key}]` : String(key))).join('');
    const where = path === undefined || path === '' ? '' : ` at ${path}`;
    throw new RllmError(
      'USAGE',
      `${from} is not a table of rewards${where}: ${issue?.message}. It is [[1, 0], [1, 1]], a list for each group, or { "rewards": [[…]], "lengths": [[…]] }.`,
    );
  }
  const read: RewardTable = Array.isArray(parsed.data) ? { rewards: parsed.data } : parsed.data;
  checkShape(read, from);
  return read;
}

function checkShape({ rewards, lengths, components, greedy }: RewardTable, from: string): void {
  const sizes = rewards.map((group) => group.length).join(', ');
  for (const [name, list] of Object.entries({ lengths, components })) {
    const own = list?.map((group: readonly unknown[]) => group.length).join(', ');
    if (own !== undefined && own !== sizes) {
      throw new RllmError(
        'USAGE',
        `${from} has groups of ${sizes} rewards, and ${name} for groups of ${own}.`,
      );
    }
  }
  if (greedy !== undefined && greedy.length !== rewards.length) {
    throw new RllmError(
      'USAGE',
      `${from} has ${rewards.length} groups, and the greedy reward of ${greedy.length}.`,
    );
  }
}

/** A table as groups of one role. Each trajectory has one step of as many tokens as its length says. */
export function inputOfTable(table: RewardTable): ComparisonInput {
  const groups = table.rewards.map((row, g): TrajectoryGroup => {
    const taskId = String(g);
    const greedy = table.greedy?.[g];
    return {
      groupId: taskId,
      role: 'agent',
      taskId,
      trajectories: row.map((reward, i) =>
        trajectoryOf(`${g}:${i}`, reward, table.lengths?.[g]?.[i] ?? 1, table.components?.[g]?.[i]),
      ),
      metadata: row.map((_reward, i) => ({
        taskId,
        rolloutIndex: i,
        isCorrect: false,
      })),
      ...(greedy === undefined ? {} : { baselines: [trajectoryOf(`${g}:greedy`, greedy, 1)] }),
    };
  });
  const provides = new Set<Requirement>();
  if (table.lengths !== undefined) provides.add('lengths');
  if (table.components !== undefined && isMet('rewardComponents', groups)) provides.add('rewardComponents');
  if (table.greedy !== undefined) provides.add('greedyBaseline');
  return { groups, provides };
}

function trajectoryOf(
  uid: string,
  reward: number | null,
  length: number,
  rewards?: Readonly<Record<string, number>>,
): Trajectory {
  const step = createStep({
    id: uid,
    responseIds: new Array<number>(length).fill(0),
    reward: reward ?? 0,
    done: true,
  });
  return {
    ...createTrajectory({ uid, name: 'agent', steps: [step] }),
    ...(reward === null ? {} : { reward }),
    ...(rewards === undefined ? {} : { rewards: { ...rewards } }),
  };
}
