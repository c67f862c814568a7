import {
  calculateGrpoAdvantages,
  calculateReinforceAdvantages,
  calculateRlooAdvantages,
  type Random,
  stream,
} from 'rllm-sdk';
import { describe, expect, test } from 'vitest';
import {
  calculateDrGrpoAdvantages,
  calculateEntropicAdaptiveBetaAdvantages,
  calculateEntropicAdvantages,
  calculateGdpoAdvantages,
  calculateGpgAdvantages,
  calculateGrpoPasskAdvantages,
  calculateGrpoScaledAdvantages,
  calculateHierarchicalGrpoAdvantages,
  calculateMaxRlAdvantages,
  calculateMeanStdLevelAdvantages,
  calculateOpoAdvantages,
  calculateRaeAdvantages,
  calculateRlooNormalizedAdvantages,
} from '../src/index.js';

/*
 * A softmax policy π over four arms, and rewards whose mean by arm is known. ∇ log π(a) = 1ₐ − π, so the gradient of the expected
 * reward J is π·(mean − J). An estimator gives ĝ = mean over the batch of Aᵢ·∇ log π(aᵢ).
 */
const LOGITS = [0.5, 0, -0.4, -1];
const MEANS = [0.1, 0.3, 0.8, 0.5];
const N = 4;
const GROUPS = 6;
const BATCHES = 6000;

const weights = LOGITS.map(Math.exp);
const policy = weights.map((weight) => weight / weights.reduce((a, b) => a + b, 0));
const expected = policy.reduce((total, probability, arm) => total + probability * (MEANS[arm] ?? 0), 0);
const truth = policy.map((probability, arm) => probability * ((MEANS[arm] ?? 0) - expected));

type Estimate = (rewards: readonly Float64Array[]) => readonly Float64Array[];
type Draw = (random: Random, arm: number) => number;

/** 1 with the arm's mean as probability. */
const solvedOrNot: Draw = (random, arm) => (random.next() < (MEANS[arm] ?? 0) ? 1 : 0);
/** The arm's mean and noise, of any sign and on an offset that no estimator has to know. */
const noisy: Draw = (random, arm) => (MEANS[arm] ?? 0) + random.normal() / 2;

function armOf(random: Random): number {
  let left = random.next();
  return Math.max(
    0,
    policy.findIndex((probability) => {
      left -= probability;
      return left < 0;
    }),
  );
}

interface Measured {
  readonly mean: readonly number[];
  readonly error: readonly number[];
  /** ĝ·∇J / |∇J|², 1 for an unbiased estimate, and its standard error. */
  readonly scale: number;
  readonly scaleError: number;
}

function measure(estimate: Estimate, draw: Draw): Measured {
  const random = stream(11, 'gradient-bandit');
  const norm = truth.reduce((total, value) => total + value * value, 0);
  const values = Array.from({ length: BATCHES }, () => {
    const arms = Array.from({ length: GROUPS }, () => Array.from({ length: N }, () => armOf(random)));
    const rewards = arms.map((own) => Float64Array.from(own, (arm) => draw(random, arm)));
    const gradient = policy.map(() => 0);
    estimate(rewards).forEach((own, g) => {
      own.forEach((advantage, i) => {
        policy.forEach((probability, k) => {
          const score = (arms[g]?.[i] === k ? 1 : 0) - probability;
          gradient[k] = (gradient[k] ?? 0) + (advantage * score) / (GROUPS * N);
        });
      });
    });
    const along = gradient.reduce((total, value, k) => total + value * (truth[k] ?? 0), 0) / norm;
    return [...gradient, along];
  });
  const mean = (values[0] ?? []).map(
    (_, k) => values.reduce((total, own) => total + (own[k] ?? 0), 0) / BATCHES,
  );
  const error = mean.map((about, k) => {
    const squares = values.reduce((total, own) => total + ((own[k] ?? 0) - about) ** 2, 0);
    return Math.sqrt(squares / (BATCHES - 1) / BATCHES);
  });
  return {
    mean: mean.slice(0, -1),
    error: error.slice(0, -1),
    scale: mean.at(-1) ?? Number.NaN,
    scaleError: error.at(-1) ?? Number.NaN,
  };
}

function expectGradient({ mean, error }: Measured, factor: number): void {
  mean.forEach((value, k) => {
    const off = Math.abs(value - factor * (truth[k] ?? 0)) / (error[k] ?? Number.NaN);
    expect(off, `component ${k}, in standard errors`).toBeLessThan(4);
  });
}

/** A baseline that holds its own reward takes 1/N of the gradient away. */
const OWN_REWARD_IN_BASELINE = (N - 1) / N;

describe('these have the true gradient as their mean', () => {
  let baseline = 0;
  test.each<{ name: string; estimate: Estimate; factor: number }>([
    { name: 'reinforce', estimate: (r) => calculateReinforceAdvantages(r).advantages, factor: 1 },
    { name: 'rloo', estimate: (r) => calculateRlooAdvantages(r).advantages, factor: 1 },
    {
      name: 'rae',
      estimate: (r) => {
        const next = calculateRaeAdvantages(r, baseline);
        baseline = next.baseline;
        return next.advantages;
      },
      factor: 1,
    },
    {
      name: 'mean_std_level, leave-one-out over the batch',
      estimate: (r) => calculateMeanStdLevelAdvantages(r, { stdLevel: 'none', leaveOneOut: true }),
      factor: 1,
    },
    { name: 'dr_grpo', estimate: calculateDrGrpoAdvantages, factor: OWN_REWARD_IN_BASELINE },
    {
      name: 'grpo_scaled without scale',
      estimate: (r) => calculateGrpoScaledAdvantages(r, { scale: 'none' }),
      factor: OWN_REWARD_IN_BASELINE,
    },
    {
      name: 'opo, all of one length',
      estimate: (r) =>
        calculateOpoAdvantages(
          r,
          r.map((own) => own.map(() => 7)),
        ),
      factor: OWN_REWARD_IN_BASELINE,
    },
    {
      name: 'gpg with rewards that are never 0',
      estimate: (r) => calculateGpgAdvantages(r),
      factor: OWN_REWARD_IN_BASELINE,
    },
    {
      name: 'hierarchical_grpo, two trajectories per episode',
      estimate: (r) =>
        calculateHierarchicalGrpoAdvantages(
          r,
          r.map(() => [0, 1, 0, 1]),
        ),
      factor: 1 / 2,
    },
  ])('$name, times $factor', ({ estimate, factor }) => {
    expectGradient(measure(estimate, noisy), factor);
  });
});

/**
 * With rewards of 0 and 1 an advantage depends on the number of successes alone, and then the mean of ĝ is c·∇J exactly:
 * c = Σ over successes s of P(s)·[ s/n · A(1)/p − (n − s)/n · A(0)/(1 − p) ], with p = J and groups of n.
 */
function factorOf(estimate: Estimate, n = N, p = expected): number {
  let factor = 0;
  let ways = 1;
  for (let s = 0; s <= n; s++) {
    const group = Float64Array.from({ length: n }, (_, i) => (i < s ? 1 : 0));
    const own = estimate([group])[0] ?? new Float64Array();
    const probability = ways * p ** s * (1 - p) ** (n - s);
    const wins = own.slice(0, s).reduce((a, b) => a + b, 0) / n / p;
    const losses = own.slice(s).reduce((a, b) => a + b, 0) / n / (1 - p);
    factor += probability * (wins - losses);
    ways = (ways * (n - s)) / (s + 1);
  }
  return factor;
}

describe('on rewards of 0 and 1 these keep the direction and change the length, as documented', () => {
  const grpo: Estimate = (r) => calculateGrpoAdvantages(r).advantages;

  test.each<{ name: string; estimate: Estimate; longer: boolean }>([
    { name: 'grpo: a std of at most 1/2 lengthens', estimate: grpo, longer: true },
    { name: 'rloo_normalized', estimate: (r) => calculateRlooNormalizedAdvantages(r), longer: true },
    { name: 'maxrl: the weight of rare successes', estimate: calculateMaxRlAdvantages, longer: true },
    { name: 'entropic', estimate: (r) => calculateEntropicAdvantages(r), longer: true },
    {
      name: 'entropic_adaptive_beta',
      estimate: (r) => calculateEntropicAdaptiveBetaAdvantages(r),
      longer: true,
    },
    {
      name: 'grpo_passk: nothing where two succeed',
      estimate: (r) => calculateGrpoPasskAdvantages(r),
      longer: false,
    },
  ])('$name', ({ estimate, longer }) => {
    const factor = factorOf(estimate);
    const measured = measure(estimate, solvedOrNot);
    expectGradient(measured, factor);
    const off = (measured.scale - 1) / measured.scaleError;
    if (longer) expect(off).toBeGreaterThan(4);
    else expect(off).toBeLessThan(-4);
  });

  test('maxrl climbs log p to order N − 1', () => {
    const series = Array.from({ length: N - 1 }, (_, k) => (1 - expected) ** k).reduce((a, b) => a + b, 0);
    expect(factorOf(calculateMaxRlAdvantages)).toBeCloseTo(series, 12);
  });

  test('grpo_passk, summed over the group, climbs pass@N = 1 − (1 − p)ᴺ', () => {
    const slope = N * (1 - expected) ** (N - 1);
    expect(N * factorOf((r) => calculateGrpoPasskAdvantages(r))).toBeCloseTo(slope, 12);
  });

  test('grpo is exact for two, and √(N − 1) times too long where successes are rare', () => {
    expect(factorOf(grpo, 2)).toBeCloseTo(1, 5);
    expect(factorOf(grpo, 8, 1e-6)).toBeCloseTo(Math.sqrt(7), 4);
  });

  test('entropic climbs log E[exp(βr)], the closer the larger the group', () => {
    const slope = (Math.exp(2) - 1) / (1 + expected * (Math.exp(2) - 1));
    const off = [4, 16, 64].map((n) =>
      Math.abs(factorOf((r) => calculateEntropicAdvantages(r), n) / slope - 1),
    );
    expect(off[0]).toBeLessThan(0.55);
    expect(off[1]).toBeLessThan(0.08);
    expect(off[2]).toBeLessThan(0.017);
  });

  test('rloo_normalized is N/(N − 1) times grpo', () => {
    expect(factorOf((r) => calculateRlooNormalizedAdvantages(r))).toBeCloseTo(
      (N / (N - 1)) * factorOf(grpo),
      9,
    );
  });

  test.each<{ name: string; estimate: Estimate }>([
    { name: 'grpo_scaled by batch', estimate: (r) => calculateGrpoScaledAdvantages(r, { scale: 'batch' }) },
    { name: 'mean_std_level', estimate: (r) => calculateMeanStdLevelAdvantages(r) },
    { name: 'gpg: the batch per reward that is not 0', estimate: (r) => calculateGpgAdvantages(r) },
    {
      name: 'gpg by mixed groups',
      estimate: (r) => calculateGpgAdvantages(r, { count: 'mixed_groups' }),
    },
    { name: 'gdpo of one component', estimate: (r) => calculateGdpoAdvantages([r], [1]) },
  ])('$name, over a batch, is longer than what its baseline leaves', ({ estimate }) => {
    const { scale, scaleError } = measure(estimate, solvedOrNot);
    expect((scale - OWN_REWARD_IN_BASELINE) / scaleError).toBeGreaterThan(4);
  });
});
