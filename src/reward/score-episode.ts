import { type Attribution, attributed, nameOf } from '../attribute.js';
import { RllmError } from '../errors.js';
import { copyPlain, type Episode, type Trajectory } from '../types/index.js';
import type { Rewarder } from './reward-function.js';

/** A reward function as a config chooses it. */
export interface ChosenReward {
  /** Names its score in `trajectory.rewards`. */
  readonly name: string;
  /** Factor of the score in the sum. */
  readonly weight: number;
  /** Roles that it scores; null for all. */
  readonly roles: readonly string[] | null;
  /** Validated by its schema. */
  readonly options: unknown;
  readonly rewarder: Rewarder<unknown>;
  readonly part: Attribution;
}

/**
 * Scores every trajectory of an episode by the functions that cover its role, all at once. A trajectory gets
 * `reward = Σ weight · score`, summed in the order of the functions, and in `rewards` each score under the function's name, in the
 * same order after the parts that the workflow has set; a part of the same name gives way. One that no function covers stays as
 * it is.
 *
 * Each function sees a copy of its own, so that nothing it does to its input reaches the episode or another function.
 *
 * @returns a new episode; the one given is not modified.
 * @throws RllmError REWARD_FAILED when a function throws (the first in the order of the functions), with the cause; an error of
 *   the SDK keeps its code.
 * @throws RllmError REWARD_NOT_FINITE when a score, or the sum, is not a finite number.
 */
export async function scoreEpisode(
  episode: Episode,
  task: Readonly<Record<string, unknown>>,
  rewards: readonly ChosenReward[],
  signal: AbortSignal,
): Promise<Episode> {
  const scores = await settled(
    rewards.map((reward) => {
      const seen = copyPlain({ episode, task });
      return seen.episode.trajectories.map((trajectory) =>
        covers(reward, trajectory) ? scoreOf(reward, { ...seen, trajectory, signal }) : undefined,
      );
    }),
  );
  const trajectories = episode.trajectories.map((trajectory, i) => {
    const own = rewards.flatMap((reward, r) => {
      const score = scores[r]?.[i];
      return score === undefined ? [] : [{ reward, score }];
    });
    return own.length === 0 ? trajectory : rewarded(trajectory, own);
  });
  return { ...episode, trajectories };
}

function covers({ roles }: ChosenReward, { name }: Trajectory): boolean {
  return roles === null || roles.includes(name);
}

/** `scores[r][i]`. Waits for all, so that which failure is told does not depend on which was faster. */
async function settled(
  pending: readonly (readonly (Promise<number> | undefined)[])[],
): Promise<readonly (readonly (number | undefined)[])[]> {
  await Promise.allSettled(pending.flat());
  return Promise.all(pending.map((row) => Promise.all(row)));
}

async function scoreOf(
  { rewarder, options, part }: ChosenReward,
  seen: Omit<Parameters<Rewarder<unknown>['score']>[0], 'options'>,
): Promise<number> {
  let score: unknown;
  try {
    score = await rewarder.score({ ...seen, options });
  } catch (thrown) {
    throw attributed(thrown, part, `threw for role "${seen.trajectory.name}"`, 'REWARD_FAILED');
  }
  if (typeof score === 'number' && Number.isFinite(score)) return score;
  const given = typeof score === 'number' ? String(score) : `a value of type ${typeof score}`;
  throw new RllmError(
    'REWARD_NOT_FINITE',
    `${nameOf(part)} must give a finite number, and gave ${given} for role "${seen.trajectory.name}".`,
  );
}

function rewarded(
  trajectory: Trajectory,
  scores: readonly { readonly reward: ChosenReward; readonly score: number }[],
): Trajectory {
  const parts = { ...trajectory.rewards };
  for (const { reward } of scores) delete parts[reward.name];
  let sum = 0;
  for (const { reward, score } of scores) {
    parts[reward.name] = score;
    sum += reward.weight * score;
  }
  if (!Number.isFinite(sum)) {
    throw new RllmError(
      'REWARD_NOT_FINITE',
      `The weighted sum of the rewards of role "${trajectory.name}" is ${sum}; give smaller weights.`,
    );
  }
  return { ...trajectory, reward: sum, rewards: parts };
}
