import {
  type AdvantageBatch,
  type AdvantageEstimates,
  AdvEstimator,
  calculateReinforceAdvantages,
  type Json,
  RllmError,
} from 'rllm-sdk';
import { z } from 'zod';

export interface RaeOptions {
  /** How much of the baseline stays at each trajectory, in [0, 1). */
  readonly decay: number;
}

const DEFAULTS: RaeOptions = { decay: 0.95 };

export const raeOptions: z.ZodType<RaeOptions> = z.strictObject({
  decay: z
    .number()
    .min(0)
    .lt(1)
    .default(DEFAULTS.decay)
    .describe('How much of the baseline stays at each trajectory, in [0, 1).'),
});

/**
 * Role-conditioned advantage: A = r − b with the baseline b of its role as it was before, then b ← d·b + (1 − d)·r.
 *
 * The baseline is what the role usually gets, so it works with one rollout per task, and in zero-sum games, where a group's mean
 * is 0 whatever the policy does. Each baseline is older than the reward that it is taken off, so the gradient stays unbiased.
 *
 * | | here | prime-rl, SPIRAL |
 * | --- | --- | --- |
 * | 1, 1, 1, … from a baseline of 0, d = 0.95 | 1, 0.95, 0.9025, … | the same |
 * | order within a batch | by group as the batch lists them, then by trajectory | as groups finish |
 * | all rewards equal | not 0: they are compared with earlier ones | the same |
 * | lone trajectory | r − b, as any other | the same |
 * | after a resume | goes on: the baselines are in the checkpoint | starts again from 0 |
 *
 * Order matters by definition: a permutation of trajectories gives other advantages. Under `algorithm.loneTrajectory` of `zero` or
 * `drop`, lone trajectories do not reach the estimator and leave its baseline as it is.
 *
 * @param rewards   `rewards[g][i]` of one role, finite; not modified.
 * @param baseline  b before the first of them.
 * @returns         fresh arrays of the same shape, in reward units, and b after the last of them.
 * @throws RllmError EMPTY_GROUP, REWARD_NOT_FINITE.
 * @see SPIRAL, https://arxiv.org/abs/2506.24119
 */
export function calculateRaeAdvantages(
  rewards: readonly ArrayLike<number>[],
  baseline: number,
  options: Partial<RaeOptions> = {},
): { readonly advantages: Float64Array[]; readonly baseline: number } {
  const { decay } = { ...DEFAULTS, ...options };
  const { advantages } = calculateReinforceAdvantages(rewards);
  let current = baseline;
  for (const group of advantages) {
    for (let i = 0; i < group.length; i++) {
      const reward = group[i] ?? Number.NaN;
      group[i] = reward - current;
      current = decay * current + (1 - decay) * reward;
    }
  }
  return { advantages, baseline: current };
}

/** The estimator `rae`. It keeps one baseline per role, from 0 on. */
@AdvEstimator('rae', {
  summary: "r − moving average of the role's earlier rewards, one trajectory after another",
  paper: 'https://arxiv.org/abs/2506.24119',
  scope: 'batch',
  options: raeOptions,
})
export class Rae {
  #baselines: ReadonlyMap<string, number> = new Map();

  estimate({ role, rewards, options }: AdvantageBatch<RaeOptions>): AdvantageEstimates {
    const { advantages, baseline } = calculateRaeAdvantages(rewards, this.#baselines.get(role) ?? 0, options);
    this.#baselines = new Map(this.#baselines).set(role, baseline);
    return { advantages };
  }

  stateDict(): Json {
    return { baselines: [...this.#baselines] };
  }

  /** @throws RllmError CHECKPOINT_INVALID for anything that `stateDict` does not give. */
  loadStateDict(state: Json): void {
    const checked = savedState.safeParse(state);
    if (!checked.success) {
      throw new RllmError(
        'CHECKPOINT_INVALID',
        `The state of the advantage estimator "rae" is no list of one finite baseline per role: ${checked.error.issues.map(({ message, path }) => `${path.join('.')}: ${message}`).join('; ')}`,
      );
    }
    this.#baselines = new Map(checked.data.baselines);
  }
}

const savedState = z.strictObject({ baselines: z.array(z.tuple([z.string(), z.number()])) });
