import type { EstimatorRegistry } from '../advantage/index.js';
import { RllmError } from '../errors.js';
import { stream } from '../random.js';
import type { TrajectoryGroup } from '../types/index.js';
import { type Bandit, batchMaker } from './bandit.js';
import { estimateColumn, keepingState } from './estimate-column.js';
import { type GradientStatistics, gradientStatistics } from './gradient-statistics.js';
import type { LeftOut, PreparedColumn } from './prepare-columns.js';

export interface GradientColumn {
  readonly label: string;
  readonly statistics: GradientStatistics;
}

export interface GradientComparison {
  readonly columns: readonly GradientColumn[];
  readonly leftOut: readonly LeftOut[];
}

export interface SampleSize {
  /** Gradients to sample, at least 2. */
  readonly batches: number;
  readonly seed: number;
}

/** Numbers that the samples of one estimator may take: half a gigabyte. */
const MOST_NUMBERS = 2 ** 26;

/**
 * Bias and variance of the policy gradient under each estimator, by Monte-Carlo: a batch of `rollouts` choices for each task is
 * drawn, credit assigned, and ĝ = 1/(G·N) Σ_g Σ_i Σ_t A_git ∇ log π(token t) compared with the bandit's own gradient. This is the
 * gradient of plain policy gradient at the sampling policy; losses weigh tokens and clip in ways of their own.
 *
 * All estimators see the same batches. One with state starts as it is and carries it from batch to batch, as in training.
 *
 * @throws RllmError USAGE for fewer than two batches, or more than fit into memory.
 */
export function compareGradients(
  bandit: Bandit,
  prepared: readonly PreparedColumn[],
  registry: EstimatorRegistry,
  { batches, seed }: SampleSize,
): GradientComparison {
  const size = bandit.gradient.length;
  const perBatch = bandit.groups * bandit.rollouts;
  if (!Number.isInteger(batches) || batches < 2) {
    throw new RllmError(
      'USAGE',
      `The gradient is measured on a whole number of 2 or more batches; given ${batches}.`,
    );
  }
  if (batches * Math.max(size, perBatch) > MOST_NUMBERS) {
    throw new RllmError(
      'USAGE',
      `${batches} batches of ${perBatch} rollouts and gradients of ${size} numbers are more than can be kept; lower one of them.`,
    );
  }
  const choices = drawChoices(bandit, batches, seed);
  const makeBatch = batchMaker(bandit);
  const columns: GradientColumn[] = [];
  const leftOut: LeftOut[] = [];
  for (const one of prepared) {
    const { label } = one.column;
    const samples = new Float64Array(batches * size);
    const failure = keepingState(one, registry, () => {
      for (let b = 0; b < batches; b++) {
        const groups = makeBatch(choices.subarray(b * perBatch, (b + 1) * perBatch));
        const failed = estimateColumn(groups, one, registry);
        if (failed !== undefined) return failed;
        addGradient(bandit, groups, samples.subarray(b * size, (b + 1) * size));
      }
      return undefined;
    });
    if (failure !== undefined) leftOut.push({ label, reasons: [failure] });
    else columns.push({ label, statistics: gradientStatistics(samples, bandit.gradient) });
  }
  return { columns, leftOut };
}

/** Arm of every trajectory of every batch, shape [B·G·N]; batch b has a stream of its own. */
function drawChoices({ policies, rollouts }: Bandit, batches: number, seed: number): Uint32Array {
  const choices = new Uint32Array(batches * policies.length * rollouts);
  let end = 0;
  for (let b = 0; b < batches; b++) {
    const random = stream(seed, 'bandit', b);
    for (const policy of policies) {
      for (let i = 0; i < rollouts; i++) choices[end++] = draw(policy, random.next());
    }
  }
  return choices;
}

function draw(policy: Float64Array, uniform: number): number {
  let left = uniform;
  for (let k = 0; k < policy.length - 1; k++) {
    left -= policy[k] as number;
    if (left < 0) return k;
  }
  return policy.length - 1;
}

/** Adds up A ∇ log π(k) = A (e_k − π). Only the first token of a trajectory is a choice. */
function addGradient(bandit: Bandit, groups: readonly TrajectoryGroup[], gradient: Float64Array): void {
  const { policies, rollouts } = bandit;
  const share = 1 / (policies.length * rollouts);
  groups.forEach(({ trajectories }, g) => {
    const policy = policies[g] as Float64Array;
    const start = g * policy.length;
    let total = 0;
    for (const { steps } of trajectories) {
      const [step] = steps;
      const advantage = step?.advantage ?? 0;
      const first = (typeof advantage === 'number' ? advantage : (advantage[0] ?? 0)) * share;
      const at = start + (step?.responseIds[0] ?? 0);
      gradient[at] = (gradient[at] as number) + first;
      total += first;
    }
    for (let k = 0; k < policy.length; k++) {
      gradient[start + k] = (gradient[start + k] as number) - total * (policy[k] as number);
    }
  });
}
