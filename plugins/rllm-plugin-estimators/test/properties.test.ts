import fc from 'fast-check';
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
import { sum } from './support.js';

type Rewards = readonly ArrayLike<number>[];

interface Subject {
  readonly name: string;
  readonly run: (rewards: Rewards) => Float64Array[];
  /** The advantages of a group of two or more sum to 0. */
  readonly sumsToZero?: boolean;
  /** A constant added to all rewards changes nothing. */
  readonly shifts?: boolean;
  /** Groups do not touch each other. */
  readonly apart?: boolean;
  /** A group is compared with others or with the past, so that its own spread does not decide. */
  readonly comparesBeyondGroup?: boolean;
  readonly ordered?: boolean;
}

const own = { sumsToZero: true, shifts: true, apart: true };

const subjects: readonly Subject[] = [
  { name: 'dr_grpo', run: calculateDrGrpoAdvantages, ...own },
  { name: 'grpo_scaled', run: (r) => calculateGrpoScaledAdvantages(r), ...own },
  {
    name: 'grpo_scaled, ddof 1, no epsilon',
    run: (r) => calculateGrpoScaledAdvantages(r, { ddof: 1, epsilon: 0 }),
    ...own,
  },
  {
    name: 'grpo_scaled by batch',
    run: (r) => calculateGrpoScaledAdvantages(r, { scale: 'batch' }),
    sumsToZero: true,
    shifts: true,
  },
  {
    name: 'opo',
    run: (r) =>
      calculateOpoAdvantages(
        r,
        r.map((own) => Array.from(own, () => 3)),
      ),
    ...own,
  },
  { name: 'gpg', run: (r) => calculateGpgAdvantages(r), sumsToZero: true },
  {
    name: 'gpg by mixed groups',
    run: (r) => calculateGpgAdvantages(r, { count: 'mixed_groups' }),
    sumsToZero: true,
    shifts: true,
  },
  { name: 'maxrl', run: calculateMaxRlAdvantages, sumsToZero: true, apart: true },
  { name: 'grpo_passk', run: (r) => calculateGrpoPasskAdvantages(r), shifts: true, apart: true },
  {
    name: 'grpo_passk, scaled',
    run: (r) => calculateGrpoPasskAdvantages(r, { scale: 'group' }),
    shifts: true,
    apart: true,
  },
  {
    name: 'gdpo of one component',
    run: (r) => calculateGdpoAdvantages([r], [1]),
    sumsToZero: true,
    shifts: true,
  },
  { name: 'entropic', run: (r) => calculateEntropicAdvantages(r), shifts: true, apart: true },
  {
    name: 'entropic_adaptive_beta',
    run: (r) => calculateEntropicAdaptiveBetaAdvantages(r),
    shifts: true,
    apart: true,
  },
  { name: 'rloo_normalized', run: (r) => calculateRlooNormalizedAdvantages(r), ...own },
  {
    name: 'rloo_normalized by batch',
    run: (r) => calculateRlooNormalizedAdvantages(r, { scale: 'batch' }),
    sumsToZero: true,
    shifts: true,
  },
  {
    name: 'hierarchical_grpo',
    run: (r) =>
      calculateHierarchicalGrpoAdvantages(
        r,
        r.map((own) => Array.from(own, () => 0)),
      ),
    ...own,
  },
  {
    name: 'mean_std_level',
    run: (r) => calculateMeanStdLevelAdvantages(r),
    shifts: true,
    comparesBeyondGroup: true,
  },
  {
    name: 'mean_std_level of the group',
    run: (r) =>
      calculateMeanStdLevelAdvantages(r, { meanLevel: 'group', stdLevel: 'group', leaveOneOut: true }),
    ...own,
  },
  {
    name: 'rae',
    run: (r) => calculateRaeAdvantages(r, 0).advantages,
    comparesBeyondGroup: true,
    ordered: true,
  },
];

const reward = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: -80, max: 80 }).map((n) => n / 8) },
  { weight: 1, arbitrary: fc.constantFrom(0, -0, 1e-9, 1e6 + 0.25, -1e6) },
);
const groups = fc.array(fc.array(reward, { minLength: 2, maxLength: 7 }), { minLength: 1, maxLength: 4 });
const plain = fc.array(
  fc.array(
    fc.integer({ min: -80, max: 80 }).map((n) => n / 8),
    { minLength: 2, maxLength: 7 },
  ),
  { minLength: 1, maxLength: 4 },
);
const runs = { numRuns: 60 };

function close(
  got: ArrayLike<number> | undefined,
  expected: ArrayLike<number> | undefined,
  allowed = 1e-9,
): void {
  expect(got?.length).toBe(expected?.length);
  Array.from(expected ?? []).forEach((value, i) => {
    const error = Math.abs((got?.[i] ?? Number.NaN) - value);
    expect(error, `${got?.[i]} against ${value}`).toBeLessThanOrEqual(allowed * (1 + Math.abs(value)));
  });
}

describe('none for no groups, and one finite number per trajectory of ragged ones, never −0', () => {
  const batches = fc.array(fc.array(reward, { minLength: 1, maxLength: 7 }), { maxLength: 4 });
  test.each(subjects)('$name', ({ run }) => {
    expect(run([])).toEqual([]);
    fc.assert(
      fc.property(batches, (rewards) => {
        const got = run(rewards);
        expect(got.map(({ length }) => length)).toEqual(rewards.map(({ length }) => length));
        for (const value of got.flatMap((group) => [...group])) {
          expect(Number.isFinite(value)).toBe(true);
          expect(Object.is(value, -0)).toBe(false);
        }
      }),
      runs,
    );
  });
});

describe('the input is left alone, and the same gives the same', () => {
  test.each(subjects)('$name', ({ run }) => {
    const frozen = Object.freeze([Object.freeze([1, 0, 0.5]), Object.freeze([2, 2]), Object.freeze([-1])]);
    expect(run(frozen)).toEqual(run(frozen));
    const typed = frozen.map((group) => Float64Array.from(group));
    expect(run(typed)).toEqual(run(frozen));
    expect(typed.map((group) => [...group])).toEqual(frozen);
  });
});

describe('an empty group, NaN and infinity are refused', () => {
  test.each(subjects)('$name', ({ run }) => {
    expect(() => run([[1, 0], []])).toThrow(expect.objectContaining({ code: 'EMPTY_GROUP' }));
    for (const value of [Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(() =>
        run([
          [1, 0],
          [1, value],
        ]),
      ).toThrow(expect.objectContaining({ code: 'REWARD_NOT_FINITE' }));
    }
  });
});

describe('a group without a spread gets exactly 0, beside any other', () => {
  test.each(subjects.filter(({ comparesBeyondGroup = false }) => !comparesBeyondGroup))(
    '$name',
    ({ run }) => {
      for (const value of [0.1, 0.7, 1 / 3, -2, 0, 1e6 + 0.1, 1e-300]) {
        const [first] = run([new Array<number>(7).fill(value), [1, 0, 0.25]]);
        expect([...(first ?? [])]).toEqual(new Array<number>(7).fill(0));
      }
    },
  );
});

describe('the advantages of a group of two or more sum to 0', () => {
  test.each(subjects.filter(({ sumsToZero = false }) => sumsToZero))('$name', ({ run }) => {
    fc.assert(
      fc.property(groups, (rewards) => {
        for (const group of run(rewards)) {
          const size = sum(group.map(Math.abs));
          expect(Math.abs(sum(group))).toBeLessThanOrEqual(1e-9 * (1 + size));
        }
      }),
      runs,
    );
  });
});

describe('a constant added to all rewards is not seen, a million included', () => {
  test.each(subjects.filter(({ shifts = false }) => shifts))('$name', ({ run }) => {
    fc.assert(
      fc.property(plain, fc.constantFrom(-3, 1000, 1e6), (rewards, shift) => {
        const moved = run(rewards.map((group) => group.map((value) => value + shift)));
        const expected = run(rewards);
        moved.forEach((group, g) => {
          close(group, expected[g], 1e-7);
        });
      }),
      runs,
    );
  });
});

describe('each group is treated as if it were alone', () => {
  test.each(subjects.filter(({ apart = false }) => apart))('$name', ({ run }) => {
    fc.assert(
      fc.property(groups, (rewards) => {
        expect(run(rewards)).toEqual(rewards.flatMap((group) => run([group])));
      }),
      runs,
    );
  });
});

describe('a permutation of trajectories and of groups is followed', () => {
  const turn = <T>(items: readonly T[], by: number): T[] => {
    const at = by % Math.max(1, items.length);
    return [...items.slice(at), ...items.slice(0, at)];
  };
  test.each(subjects.filter(({ ordered = false }) => !ordered))('$name', ({ run }) => {
    fc.assert(
      fc.property(plain, fc.nat(), (rewards, by) => {
        const turned = turn(
          rewards.map((group) => turn(group, by)),
          by,
        );
        const expected = turn(
          run(rewards).map((group) => turn([...group], by)),
          by,
        );
        run(turned).forEach((group, g) => {
          close(group, expected[g]);
        });
      }),
      runs,
    );
  });
});

test('the order counts for rae alone', () => {
  const [up] = calculateRaeAdvantages([[0, 1]], 0).advantages;
  const [down] = calculateRaeAdvantages([[1, 0]], 0).advantages;
  expect([...(up ?? [])].reverse()).not.toEqual([...(down ?? [])]);
});
