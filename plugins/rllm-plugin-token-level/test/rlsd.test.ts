import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { calculateRlsdAdvantages } from '../src/index.js';
import { like, logprob, tokenRows } from './arbitraries.js';
import { estimate, expectRows, flat, groupOfTrajectories, trajectoryOf } from './support.js';

const student = [[[-1, -1, -1]]];
const teacher = [[[-0.9, 0, null]]];

describe('by hand', () => {
  test.each([
    {
      what: 'a good trajectory: more of the reward to what the teacher likes, at most 1 + ε, and A to the unmatched',
      base: 1,
      parameters: {},
      expected: [1.052585459, 1.1, 1],
    },
    {
      what: 'a bad one: less of the blame to it',
      base: -1,
      parameters: {},
      expected: [-0.952418709, -0.9, -1],
    },
    { what: 'λ 0 gives the base', base: 2, parameters: { mix: 0 }, expected: [2, 2, 2] },
    { what: 'ε 0 gives the base', base: 2, parameters: { clip: 0 }, expected: [2, 2, 2] },
    { what: 'λ 1 gives the weight alone', base: 2, parameters: { mix: 1 }, expected: [2.2103418362, 2.4, 2] },
    { what: 'no advantage, nothing to spread', base: 0, parameters: {}, expected: [0, 0, 0] },
  ])('$what', ({ base, parameters, expected }) => {
    expectRows(calculateRlsdAdvantages([[base]], student, teacher, parameters), [[expected]], 9);
  });

  test.each([
    { what: 'a teacher of another length', wrong: [[[-1, -1]]] },
    { what: 'a teacher log-prob that is not finite', wrong: [[[-1, Number.NaN, -1]]] },
    { what: 'no group', wrong: [] },
  ])('$what is an error', ({ wrong }) => {
    expect(() => calculateRlsdAdvantages([[1]], student, wrong)).toThrow(
      expect.objectContaining({ code: 'ESTIMATOR_INPUT' }),
    );
  });
});

test('every token keeps the sign of its trajectory, and its advantage within λ · ε of it', () => {
  const cases = tokenRows.chain((rows) =>
    fc.tuple(
      like(rows, logprob),
      like(rows, logprob),
      fc.tuple(...rows.map((group) => fc.tuple(...group.map(() => fc.integer({ min: -8, max: 8 }))))),
    ),
  );
  const share = fc.double({ min: 0, max: 1, noNaN: true });
  fc.assert(
    fc.property(cases, share, share, ([own, other, base], mix, clip) => {
      const rows = calculateRlsdAdvantages(base, own, other, { mix, clip });
      rows.forEach((group, g) => {
        group.forEach((row, i) => {
          const advantage = base[g]?.[i] ?? 0;
          row.forEach((value, t) => {
            const ratio = Math.exp(
              Math.sign(advantage) * ((other[g]?.[i]?.[t] ?? 0) - (own[g]?.[i]?.[t] ?? 0)),
            );
            const clipped = Math.min(Math.max(ratio, 1 - clip), 1 + clip);
            expect(value).toBeCloseTo(advantage * (1 - mix + mix * clipped), 10);
            expect(value * advantage).toBeGreaterThanOrEqual(0);
            expect(Math.abs(value - advantage)).toBeLessThanOrEqual(Math.abs(advantage) * mix * clip + 1e-12);
          });
        });
      });
    }),
  );
});

describe('estimated', () => {
  const pair = () =>
    groupOfTrajectories([
      trajectoryOf(1, [
        { tokens: 1, logprobs: [-1], teacherLogprobs: [0] },
        { tokens: 1, observed: 2, logprobs: [-1] },
      ]),
      trajectoryOf(0, [{ tokens: 1, logprobs: [-1], teacherLogprobs: [0] }]),
    ]);

  test('over steps; a step without a teacher keeps the advantage of its trajectory', async () => {
    const options = { base: 'rloo' };
    expectRows(await estimate('rlsd', [pair()], { options }), [[[1.1, 1], [-0.9]]]);
  });

  test('its base is that of the SDK, with or without std', async () => {
    const overrides = { normAdvByStdInGrpo: false };
    expectRows(await estimate('rlsd', [pair()], { overrides }), [[[0.55, 0.5], [-0.45]]]);
  });

  test('equal rewards give exactly 0', async () => {
    const group = groupOfTrajectories(
      [0, 1].map(() => trajectoryOf(1, [{ tokens: 1, logprobs: [-1], teacherLogprobs: [-2] }])),
    );
    expect(flat(await estimate('rlsd', [group]))).toEqual([0, 0]);
  });
});
