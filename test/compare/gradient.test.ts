import { describe, expect, test } from 'vitest';
import {
  armsOf,
  BANDIT_PROVIDES,
  type Bandit,
  compareGradients,
  createBandit,
  type GradientComparison,
  type GradientStatistics,
  parseColumn,
  prepareColumns,
} from '../../src/compare/index.js';
import { algorithm, builtInRegistry } from '../advantage/support.js';
import { exactGradient, type Naive } from './exact-gradient.js';

const registry = builtInRegistry();
registry.addFunction(
  'token_grpo',
  ({ rewards, groups }) => ({
    advantages: rewards.map((row, g) => {
      const mean = row.reduce((sum, r) => sum + r, 0) / row.length;
      return Array.from(row, (r, i) =>
        (groups[g]?.trajectories[i]?.steps[0]?.responseIds ?? []).map(() => r - mean),
      );
    }),
  }),
  'test',
);
registry.addFunction(
  'zero',
  ({ rewards }) => ({ advantages: rewards.map((row) => row.map(() => 0)) }),
  'test',
);
registry.addFunction(
  'critic',
  ({ rewards, groups }) => ({
    advantages: rewards.map((row, g) =>
      row.map((r, i) => r - (groups[g]?.trajectories[i]?.steps[0]?.values?.[0] ?? Number.NaN)),
    ),
  }),
  'test',
  { requires: ['values'] },
);
registry.addFunction('taught', ({ rewards }) => ({ advantages: [...rewards] }), 'test', {
  requires: ['teacherLogprobs'],
});

async function measure(
  bandit: Bandit,
  names: readonly string[],
  options: { batches?: number; seed?: number; normAdvByStdInGrpo?: boolean } = {},
): Promise<GradientComparison & { of(name: string): GradientStatistics }> {
  const { batches = 10_000, seed = 1, normAdvByStdInGrpo = true } = options;
  const { ready, leftOut } = await prepareColumns(names.map(parseColumn), {
    algorithm: algorithm({ normAdvByStdInGrpo }),
    registry,
    provides: BANDIT_PROVIDES,
    size: { rollouts: bandit.rollouts, tasksPerBatch: bandit.groups },
  });
  const comparison = compareGradients(bandit, ready, registry, { batches, seed });
  const of = (name: string): GradientStatistics => {
    const found = comparison.columns.find(({ label }) => label === name);
    if (found === undefined) throw new Error(`no column ${name}`);
    return found.statistics;
  };
  return { ...comparison, leftOut: [...leftOut, ...comparison.leftOut], of };
}

describe('the bandit', () => {
  test('goes from hard tasks to easy ones', () => {
    const { policies, values } = createBandit({ arms: [0, 1, 0], groups: 3, rollouts: 1 });
    expect(policies.map((policy) => Array.from(policy))).toEqual([
      [0.375, 0.25, 0.375],
      [0.25, 0.5, 0.25],
      [0.125, 0.75, 0.125],
    ]);
    expect(Array.from(values)).toEqual([0.25, 0.5, 0.75]);
  });

  test('shares the chance of a task among its best arms', () => {
    const { policies } = createBandit({ arms: armsOf(4), groups: 1, rollouts: 1 });
    expect(policies.map((policy) => Array.from(policy))).toEqual([[0.25, 0.25, 0.25, 0.25]]);
    const { policies: three } = createBandit({ arms: armsOf(5), groups: 4, rollouts: 1 });
    expect(three.map(([right]) => right)).toEqual([0.2 / 3, 0.4 / 3, 0.6 / 3, 0.8 / 3]);
  });

  test('has the gradient that finite differences of its value have', () => {
    const arms = [0.3, 1, -0.5, 0.9];
    const { policies, gradient } = createBandit({ arms, groups: 2, rollouts: 1 });
    const value = (logits: readonly number[][]): number =>
      logits.reduce((sum, own) => {
        const weights = own.map(Math.exp);
        const total = weights.reduce((a, b) => a + b, 0);
        return sum + weights.reduce((a, w, k) => a + (w / total) * (arms[k] ?? 0), 0) / logits.length;
      }, 0);
    const logits = policies.map((policy) => Array.from(policy, Math.log));
    const step = 1e-5;
    gradient.forEach((slope, at) => {
      const moved = (by: number): number[][] =>
        logits.map((own, g) => own.map((x, k) => (g * arms.length + k === at ? x + by : x)));
      expect((value(moved(step)) - value(moved(-step))) / (2 * step)).toBeCloseTo(slope, 9);
    });
  });

  test.each([
    ['one arm', { arms: [1], groups: 1, rollouts: 2 }],
    ['equal arms', { arms: [0.5, 0.5], groups: 1, rollouts: 2 }],
    ['an infinite reward', { arms: [1, Number.POSITIVE_INFINITY], groups: 1, rollouts: 2 }],
    ['no rollouts', { arms: [1, 0], groups: 1, rollouts: 0 }],
    ['half a group', { arms: [1, 0], groups: 0.5, rollouts: 2 }],
  ])('of %s is refused', (_name, settings) => {
    expect(() => createBandit(settings)).toThrow(expect.objectContaining({ code: 'USAGE' }));
  });
});

const mean = (row: readonly number[]): number => row.reduce((a, b) => a + b, 0) / row.length;
const std = (row: readonly number[]): number => Math.sqrt(mean(row.map((r) => (r - mean(row)) ** 2)));

const reinforce: Naive = (rewards) => rewards;
const rloo: Naive = (rewards) =>
  rewards.map((row) => row.map((r, i) => r - mean(row.filter((_, j) => j !== i))));
const grpo: Naive = (rewards) =>
  rewards.map((row) => row.map((r) => (std(row) === 0 ? 0 : (r - mean(row)) / (std(row) + 1e-6))));
const drGrpo: Naive = (rewards) => rewards.map((row) => row.map((r) => r - mean(row)));
const plusPlus: Naive = (rewards) => {
  const centred = drGrpo(rewards);
  const spread = std(centred.flat());
  return centred.map((row) => row.map((c) => (spread === 0 ? 0 : c / (spread + 1e-6))));
};

describe('the measured gradient', () => {
  const cases: readonly [string, Naive, { arms: number[]; groups: number; rollouts: number }, boolean?][] = [
    ['reinforce', reinforce, { arms: [1, 0, 0.4], groups: 1, rollouts: 3 }],
    ['rloo', rloo, { arms: [1, 0, 0.4], groups: 1, rollouts: 3 }],
    ['grpo', grpo, { arms: [1, 0, 0.4], groups: 1, rollouts: 3 }],
    ['grpo', grpo, { arms: [1, 0], groups: 2, rollouts: 4 }],
    ['grpo', drGrpo, { arms: [1, 0, 0.4], groups: 2, rollouts: 2 }, false],
    ['reinforce_plus_plus_baseline', plusPlus, { arms: [1, 0, 0.4], groups: 2, rollouts: 3 }],
  ];

  test.each(cases)(
    'of %s is that of adding up every outcome (%#)',
    async (name, naive, settings, byStd = true) => {
      const bandit = createBandit(settings);
      const policies = bandit.policies.map((policy) => Array.from(policy));
      const exact = exactGradient(policies, settings.arms, settings.rollouts, naive);
      const { of } = await measure(bandit, [name], { normAdvByStdInGrpo: byStd });
      const got = of(name);
      const error = Math.sqrt(exact.variance / got.batches);
      got.mean.forEach((value, d) => {
        expect(Math.abs(value - (exact.mean[d] ?? 0))).toBeLessThan(4 * error);
      });
      expect(Math.abs(got.variance.value - exact.variance)).toBeLessThan(4 * got.variance.standardError);
      const norm = (vector: readonly number[]): number => Math.sqrt(vector.reduce((a, b) => a + b * b, 0));
      const truth = Array.from(bandit.gradient);
      const ratio = norm(exact.mean) / norm(truth);
      expect(Math.abs(got.normRatio.value - ratio)).toBeLessThan(4 * got.normRatio.standardError);
      const cosine =
        exact.mean.reduce((sum, m, d) => sum + m * (truth[d] ?? 0), 0) / norm(exact.mean) / norm(truth);
      expect(Math.abs((got.cosine?.value ?? 0) - cosine)).toBeLessThan(
        4 * (got.cosine?.standardError ?? 0) + 1e-6,
      );
    },
  );

  test('is unbiased for REINFORCE, RLOO and an exact critic, each of less variance', async () => {
    const bandit = createBandit({ arms: armsOf(8), groups: 4, rollouts: 8 });
    const { of } = await measure(bandit, ['reinforce', 'rloo', 'critic'], { batches: 4000 });
    for (const name of ['reinforce', 'rloo', 'critic']) {
      expect(of(name)).toMatchObject({ isBiased: false });
      expect(of(name).bias.value).toBeLessThan(4 * of(name).bias.standardError);
    }
    expect(of('critic').variance.value).toBeLessThan(of('rloo').variance.value);
    expect(of('rloo').variance.value).toBeLessThan(of('reinforce').variance.value);
  });

  test('of centred rewards is (N − 1) / N of the truth, in its direction', async () => {
    const bandit = createBandit({ arms: [1, 0, 0, 0], groups: 4, rollouts: 4 });
    const { of } = await measure(bandit, ['grpo'], { normAdvByStdInGrpo: false });
    const { normRatio, cosine, isBiased, bias } = of('grpo');
    expect(isBiased).toBe(true);
    expect(Math.abs(normRatio.value - 3 / 4)).toBeLessThan(4 * normRatio.standardError);
    expect(cosine?.value).toBeGreaterThan(0.999);
    expect(Math.abs(bias.value - 1 / 4)).toBeLessThan(4 * bias.standardError);
  });

  test('of GRPO with std is longer than the truth and turned away from it', async () => {
    const bandit = createBandit({ arms: [1, 0, 0, 0], groups: 4, rollouts: 8 });
    const { normRatio, cosine, isBiased } = (await measure(bandit, ['grpo'])).of('grpo');
    expect(isBiased).toBe(true);
    expect(normRatio.value).toBeGreaterThan(1 + 4 * normRatio.standardError);
    expect(cosine?.value).toBeLessThan(1 - 4 * (cosine?.standardError ?? 0));
  });

  test('reads the advantage of the first token, whatever the others have', async () => {
    const bandit = createBandit({ arms: [1, 0, 0.2], groups: 2, rollouts: 4 });
    const both = ['token_grpo', 'grpo'];
    const { of } = await measure(bandit, both, { batches: 50, normAdvByStdInGrpo: false });
    expect(of('token_grpo').normRatio.value).toBeCloseTo(of('grpo').normRatio.value, 12);
  });

  test('of no credit at all has no direction and no noise', async () => {
    const bandit = createBandit({ arms: [1, 0], groups: 2, rollouts: 2 });
    const { of } = await measure(bandit, ['zero'], { batches: 10 });
    expect(of('zero')).toMatchObject({
      bias: { value: 1, standardError: 0 },
      isBiased: true,
      normRatio: { value: 0, standardError: 0 },
      cosine: null,
      variance: { value: 0, standardError: 0 },
      noise: null,
    });
  });

  test('is the same for the same seed, and for other estimators beside it', async () => {
    const bandit = createBandit({ arms: [1, 0, 0], groups: 2, rollouts: 3 });
    const alone = await measure(bandit, ['rloo'], { batches: 30, seed: 7 });
    const beside = await measure(bandit, ['grpo', 'rloo'], { batches: 30, seed: 7 });
    const other = await measure(bandit, ['rloo'], { batches: 30, seed: 8 });
    expect(beside.of('rloo')).toEqual(alone.of('rloo'));
    expect(other.of('rloo').mean).not.toEqual(alone.of('rloo').mean);
  });

  test('leaves out what a bandit cannot feed, and says why', async () => {
    const bandit = createBandit({ arms: [1, 0], groups: 1, rollouts: 2 });
    const { columns, leftOut } = await measure(bandit, ['taught', 'rloo'], { batches: 2 });
    expect(columns.map(({ label }) => label)).toEqual(['rloo']);
    expect(leftOut).toEqual([{ label: 'taught', reasons: ['needs log-probs of a teacher'] }]);
  });

  test.each([1, 2.5, 1e9])('on %d batches is refused', async (batches) => {
    const bandit = createBandit({ arms: [1, 0], groups: 1, rollouts: 2 });
    await expect(measure(bandit, ['rloo'], { batches })).rejects.toMatchObject({ code: 'USAGE' });
  });
});
