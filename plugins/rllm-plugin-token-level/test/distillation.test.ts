import fc from 'fast-check';
import { collectRewardsAndAdvantages } from 'rllm-sdk';
import { describe, expect, test } from 'vitest';
import { calculateDistillationAdvantages } from '../src/index.js';
import { like, logprob, tokenRows } from './arbitraries.js';
import {
  algorithmOf,
  estimate,
  flat,
  groupOfTrajectories,
  stepAdvantages,
  trajectoryOf,
  withRegistry,
} from './support.js';

describe('by hand', () => {
  const student = [[[-1, -2, -3]]];

  test.each([
    { what: 'the log-ratio', teacher: [-0.5, -2.5, -1], parameters: {}, expected: [0.5, -0.5, 2] },
    {
      what: 'times the coefficient',
      teacher: [-0.5, -2.5, -1],
      parameters: { coefficient: 2 },
      expected: [1, -1, 4],
    },
    {
      what: 'summed over what is to come',
      teacher: [-0.5, -2.5, -1],
      parameters: { discount: 0.5 },
      expected: [0.75, 0.5, 2],
    },
    {
      what: 'clipped after the sum',
      teacher: [-0.5, -2.5, -1],
      parameters: { discount: 0.5, clip: { min: null, max: 0.6 } },
      expected: [0.6, 0.5, 0.6],
    },
    {
      what: 'clipped on both sides',
      teacher: [-0.5, -2.5, -1],
      parameters: { clip: { min: -0.25, max: 0.25 } },
      expected: [0.25, -0.25, 0.25],
    },
    {
      what: 'an unmatched tail gets 0, and not the +3 of a padded log-prob',
      teacher: [-0.5, -2.5, null],
      parameters: {},
      expected: [0.5, -0.5, 0],
    },
    {
      what: 'an unmatched tail adds nothing to the sum',
      teacher: [-0.5, -2.5, null],
      parameters: { discount: 0.5 },
      expected: [0.25, -0.5, 0],
    },
    {
      what: 'an unmatched token in between stays 0 in a sum',
      teacher: [-0.5, null, -1],
      parameters: { discount: 0.5 },
      expected: [1, 0, 2],
    },
    {
      what: 'a bound above 0 does not reward an unmatched token',
      teacher: [-0.5, null, -1],
      parameters: { clip: { min: 0.1, max: null } },
      expected: [0.5, 0, 2],
    },
  ])('$what', ({ teacher, parameters, expected }) => {
    expect(flat(calculateDistillationAdvantages(student, [[teacher]], parameters))).toEqual(expected);
  });

  test('is added to a base, which an unmatched token keeps; the clip bounds the teacher alone', () => {
    const of = (parameters: object): number[] =>
      flat(calculateDistillationAdvantages(student, [[[-0.5, -2.5, null]]], parameters));
    expect(of({ base: [[1]] })).toEqual([1.5, 0.5, 1]);
    expect(of({ base: [[-2]], clip: { min: null, max: 0.25 } })).toEqual([-1.75, -2.5, -2]);
    expect(() => of({ base: [[1, 1]] })).toThrow(expect.objectContaining({ code: 'ESTIMATOR_INPUT' }));
  });

  test('a teacher of another length is an error, and is neither padded nor cut', () => {
    for (const teacher of [[-1, -1], [-1, -1, -1, -1], []]) {
      expect(() => calculateDistillationAdvantages(student, [[teacher]])).toThrow(
        expect.objectContaining({ code: 'ESTIMATOR_INPUT' }),
      );
    }
  });

  test.each([Number.NaN, Number.NEGATIVE_INFINITY])(
    'a teacher log-prob of %s is an error that says where',
    (bad) => {
      const calculate = () => calculateDistillationAdvantages(student, [[[-1, bad, null]]]);
      expect(calculate).toThrow(expect.objectContaining({ code: 'ESTIMATOR_INPUT' }));
      expect(calculate).toThrow('Token 1 of trajectory 0 of group 0');
    },
  );

  test('equal policies get exactly 0, and not −0', () => {
    for (const value of flat(calculateDistillationAdvantages(student, student, { discount: 0.9 }))) {
      expect(value).toBe(0);
    }
  });
});

test('without a sum, matched tokens get the log-ratio and unmatched ones exactly 0', () => {
  const maybe = fc.option(logprob, { freq: 2 });
  const cases = tokenRows.chain((rows) => fc.tuple(like(rows, logprob), likeNullable(rows, maybe)));
  fc.assert(
    fc.property(cases, fc.double({ min: 0, max: 1, noNaN: true }), ([student, teacher], discount) => {
      const advantages = calculateDistillationAdvantages(student, teacher, { discount });
      teacher.forEach((group, g) => {
        group.forEach((row, i) => {
          const ratio = (t: number): number => {
            const known = row[t] ?? null;
            return known === null ? 0 : known - (student[g]?.[i]?.[t] ?? Number.NaN);
          };
          row.forEach((known, t) => {
            const sum = row.slice(t).reduce<number>((total, _, k) => total + discount ** k * ratio(t + k), 0);
            const got = advantages[g]?.[i]?.[t];
            if (known === null) expect(got).toBe(0);
            else expect(got).toBeCloseTo(sum, 9);
          });
        });
      });
    }),
  );
});

function likeNullable(
  rows: readonly (readonly (readonly number[])[])[],
  seed: fc.Arbitrary<number | null>,
): fc.Arbitrary<(number | null)[][][]> {
  return fc.tuple(
    ...rows.map((group) =>
      fc.tuple(...group.map((row) => fc.array(seed, { minLength: row.length, maxLength: row.length }))),
    ),
  );
}

describe('collected', () => {
  test('over steps; the sum passes a step that is unmatched', async () => {
    const group = groupOfTrajectories([
      trajectoryOf(1, [
        { tokens: 1, logprobs: [-2], teacherLogprobs: [-1] },
        { tokens: 1, observed: 3, logprobs: [-5], teacherLogprobs: [null] },
        { tokens: 2, logprobs: [-1, -1], teacherLogprobs: [-3, null] },
      ]),
    ]);
    await withRegistry((registry) =>
      collectRewardsAndAdvantages([group], algorithmOf('distillation', { discount: 0.5 }), { registry }),
    );
    expect(stepAdvantages(group)).toEqual([[[0.5], [0], [-2, 0]]]);
  });

  test.each([
    { base: 'none', expected: [[0.5], [-1, 0]] },
    { base: 'reinforce', expected: [[3.5], [0, 1]] },
    { base: 'rloo', expected: [[2.5], [-3, -2]] },
  ])('on top of $base', async ({ base, expected }) => {
    const group = groupOfTrajectories([
      trajectoryOf(3, [{ tokens: 1, logprobs: [-2], teacherLogprobs: [-1] }], 'good'),
      trajectoryOf(1, [{ tokens: 2, logprobs: [-1, -1], teacherLogprobs: [-3, null] }], 'bad'),
    ]);
    await withRegistry((registry) =>
      collectRewardsAndAdvantages([group], algorithmOf('distillation', { base, coefficient: 0.5 }), {
        registry,
      }),
    );
    expect(stepAdvantages(group).flat()).toEqual(expected);
  });

  test('a step without a teacher at all is unmatched as a whole: it trains with 0', async () => {
    const group = groupOfTrajectories([
      trajectoryOf(1, [
        { tokens: 1, logprobs: [-2], teacherLogprobs: [-1] },
        { tokens: 2, logprobs: [-5, -5] },
      ]),
    ]);
    await withRegistry((registry) =>
      collectRewardsAndAdvantages([group], algorithmOf('distillation'), { registry }),
    );
    expect(stepAdvantages(group)).toEqual([[[1], [0, 0]]]);
  });

  test.each([
    { what: 'shorter', teacherLogprobs: [-1], message: '2 tokens and 1 entries' },
    { what: 'longer', teacherLogprobs: [-1, -1, -1], message: '2 tokens and 3 entries' },
    { what: 'not finite', teacherLogprobs: [-1, Number.NaN], message: 'NaN at token 1' },
  ])('a teacher that is $what is an error that names the step', async ({ teacherLogprobs, message }) => {
    const group = groupOfTrajectories([
      trajectoryOf(1, [{ tokens: 2, logprobs: [-1, -1], teacherLogprobs: [-1, -1] }], 'good'),
      trajectoryOf(1, [{ tokens: 2, logprobs: [-1, -1], teacherLogprobs }], 'bad'),
    ]);
    const failing = estimate('distillation', [group]);
    await expect(failing).rejects.toMatchObject({
      code: 'ESTIMATOR_INPUT',
      details: { stepId: 'bad:0', rolloutIndex: 1, field: 'teacherLogprobs' },
    });
    await expect(failing).rejects.toThrow(message);
  });

  test.each([
    { options: { clip: { min: 1, max: -1 } }, why: 'min must not be above max' },
    { options: { clipp: {} }, why: 'clipp' },
  ])('options $options are refused', async ({ options, why }) => {
    const group = groupOfTrajectories([trajectoryOf(1, [{ tokens: 1, logprobs: [-1] }])]);
    const failing = estimate('distillation', [group], { options });
    await expect(failing).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
    await expect(failing).rejects.toThrow(why);
  });
});
