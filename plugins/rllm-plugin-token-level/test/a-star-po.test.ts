import fc from 'fast-check';
import { createApp } from 'rllm-sdk';
import { describe, expect, test } from 'vitest';
import plugin, { calculateAStarPoAdvantages } from '../src/index.js';
import { algorithmOf, groupOfTrajectories, trajectoryOf, withRegistry } from './support.js';

const V = Math.log((Math.E + 1) / 2);

describe('by hand', () => {
  test.each([
    {
      what: 'the optimal value of 1 and 0',
      rewards: [1, 0],
      ratios: [0, 0],
      parameters: { valueTemperature: 1 },
      expected: [1 - V, -V],
    },
    {
      what: 'less what the policy has moved already',
      rewards: [1, 0],
      ratios: [0.2, -0.4],
      parameters: { valueTemperature: 1, coefficient: 0.5 },
      expected: [0.279885, -0.420115],
    },
    {
      what: 'a value that is known',
      rewards: [1, 0],
      ratios: [0, 0],
      parameters: { optimalValues: [0.25] },
      expected: [0.75, -0.25],
    },
    {
      what: 'a lone trajectory with a known value',
      rewards: [1],
      ratios: [2],
      parameters: { optimalValues: [0.25], coefficient: 0.1 },
      expected: [0.55],
    },
    {
      what: 'rewards far larger than β₁ do not overflow',
      rewards: [1e6, 1e6 - 1],
      ratios: [0, 0],
      parameters: { valueTemperature: 1e-3 },
      expected: [1e-3 * Math.log(2), 1e-3 * Math.log(2) - 1],
    },
  ])('$what', ({ rewards, ratios, parameters, expected }) => {
    const [got] = calculateAStarPoAdvantages([rewards], [ratios], parameters);
    expect(got).toHaveLength(expected.length);
    for (const [i, value] of expected.entries()) expect(got?.[i]).toBeCloseTo(value, 6);
  });

  test('equal rewards of a policy that is its reference give exactly 0', () => {
    for (const rewards of [[0.1, 0.1, 0.1], [0.7], [-3, -3]]) {
      const [got] = calculateAStarPoAdvantages([rewards], [rewards.map(() => 0)]);
      expect(Array.from(got ?? [])).toEqual(rewards.map(() => 0));
    }
  });

  test.each([0, -1, Number.NaN])('β₁ = %d is refused', (valueTemperature) => {
    expect(() => calculateAStarPoAdvantages([[1]], [[0]], { valueTemperature })).toThrow(RangeError);
  });

  test('log-ratios of another shape are refused', () => {
    expect(() => calculateAStarPoAdvantages([[1, 0]], [[0]])).toThrow(
      expect.objectContaining({ code: 'ESTIMATOR_INPUT' }),
    );
  });
});

const rewardsAndRatios = fc
  .array(fc.tuple(fc.integer({ min: -16, max: 16 }), fc.integer({ min: -16, max: 16 })), {
    minLength: 1,
    maxLength: 8,
  })
  .map((pairs) => ({ rewards: pairs.map(([r]) => r / 8), ratios: pairs.map(([, d]) => d / 8) }));

test('it is what pulls β₂ · log-ratio to r − V*: half the slope of the paper’s square', () => {
  const temperature = fc.integer({ min: 1, max: 16 }).map((n) => n / 8);
  fc.assert(
    fc.property(rewardsAndRatios, temperature, temperature, ({ rewards, ratios }, beta1, beta2) => {
      const value =
        beta1 * Math.log(rewards.reduce((sum, r) => sum + Math.exp(r / beta1), 0) / rewards.length);
      const square = (d: number, r: number): number => (beta2 * d - (r - value)) ** 2;
      const [got] = calculateAStarPoAdvantages([rewards], [ratios], {
        valueTemperature: beta1,
        coefficient: beta2,
      });
      rewards.forEach((r, i) => {
        const d = ratios[i] ?? 0;
        // Exact for a parabola.
        const slope = (square(d + 0.5, r) - square(d - 0.5, r)) / (2 * beta2);
        expect(got?.[i]).toBeCloseTo(-slope, 8);
      });
    }),
  );
});

test('a shift of all rewards changes nothing', () => {
  fc.assert(
    fc.property(rewardsAndRatios, fc.integer({ min: -100, max: 100 }), ({ rewards, ratios }, shift) => {
      const [plain] = calculateAStarPoAdvantages([rewards], [ratios]);
      const [shifted] = calculateAStarPoAdvantages([rewards.map((r) => r + shift)], [ratios]);
      for (const [i, value] of (plain ?? []).entries()) expect(shifted?.[i]).toBeCloseTo(value, 9);
    }),
  );
});

test('estimated, it sums log-ratios over all steps and takes the known value of a task', async () => {
  const reference = { referenceLogprobs: [-1] };
  const group = (taskId: string) =>
    groupOfTrajectories(
      [1, 0].map((reward) =>
        trajectoryOf(reward, [
          { tokens: 1, logprobs: [-0.5], ...reference },
          { tokens: 1, observed: 4, logprobs: [-0.75], ...reference },
        ]),
      ),
      { taskId },
    );
  const options = { coefficient: 0.4, optimalValues: { known: 0.25 } };
  const algorithm = algorithmOf('a_star_po', options);
  const { advantages } = await withRegistry((registry) =>
    registry.get('a_star_po').estimate({
      role: 'solver',
      rewards: [Float64Array.of(1, 0), Float64Array.of(1, 0)],
      groups: [group('known'), group('toString')],
      algorithm,
      options: registry.optionsOf('a_star_po', algorithm),
    }),
  );
  const [known, own] = advantages as readonly Float64Array[];
  // d is 0.5 + 0.25.
  expect(known?.[0]).toBeCloseTo(1 - 0.25 - 0.3, 12);
  expect(known?.[1]).toBeCloseTo(-0.25 - 0.3, 12);
  expect(own?.[0]).toBeCloseTo(1 - 0.5 * Math.log((Math.exp(2) + 1) / 2) - 0.3, 12);
});

test('with algorithm.klInReward too it does not start: the KL would count twice', async () => {
  const starting = createApp(
    { algorithm: { estimator: 'a_star_po', klInReward: { coefficient: 0.1 } } },
    { plugins: [plugin], useDeclared: false },
  );
  await expect(starting).rejects.toThrow('klInReward');
});
