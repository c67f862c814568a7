import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  calculateGrpoAdvantages,
  calculateReinforcePlusPlusBaselineAdvantages,
  calculateRlooAdvantages,
} from '../../src/advantage/index.js';

const reward = fc.integer({ min: -1000, max: 1000 }).map((n) => n / 8);
const group = fc.array(reward, { minLength: 2, maxLength: 16 });
const groups = fc.array(group, { minLength: 1, maxLength: 6 });
const sum = (values: ArrayLike<number>): number => Array.from(values).reduce((a, b) => a + b, 0);

function expectClose(got: ArrayLike<number> | undefined, expected: readonly number[], digits = 9): void {
  expect(got?.length).toBe(expected.length);
  expected.forEach((value, i) => {
    expect(got?.[i]).toBeCloseTo(value, digits);
  });
}

test('the advantages of a group of two or more sum to zero', () => {
  fc.assert(
    fc.property(groups, (rewards) => {
      const all = [
        ...calculateGrpoAdvantages(rewards).advantages,
        ...calculateGrpoAdvantages(rewards, { normAdvByStdInGrpo: false }).advantages,
        ...calculateRlooAdvantages(rewards).advantages,
        ...calculateReinforcePlusPlusBaselineAdvantages(rewards).advantages,
      ];
      for (const own of all) expect(sum(own)).toBeCloseTo(0, 9);
    }),
  );
});

test('rloo equals its definition: each reward less the mean of the others', () => {
  fc.assert(
    fc.property(group, (rewards) => {
      const definition = rewards.map(
        (own, i) => own - sum(rewards.filter((_, j) => j !== i)) / (rewards.length - 1),
      );
      expectClose(calculateRlooAdvantages([rewards]).advantages[0], definition);
    }),
  );
});

test('grpo equals its definition', () => {
  fc.assert(
    fc.property(group, (rewards) => {
      const mean = sum(rewards) / rewards.length;
      const std = Math.sqrt(sum(rewards.map((own) => (own - mean) ** 2)) / rewards.length);
      expectClose(
        calculateGrpoAdvantages([rewards]).advantages[0],
        rewards.map((own) => (own - mean) / (std + 1e-6)),
      );
    }),
  );
});

test('reinforce++ baseline equals its definition over the whole batch', () => {
  fc.assert(
    fc.property(groups, (rewards) => {
      const centred = rewards.map((own) => own.map((value) => value - sum(own) / own.length));
      const all = centred.flat();
      const mean = sum(all) / all.length;
      const std = Math.sqrt(sum(all.map((value) => (value - mean) ** 2)) / all.length);
      const got = calculateReinforcePlusPlusBaselineAdvantages(rewards).advantages;
      centred.forEach((own, g) => {
        expectClose(
          got[g],
          own.map((value) => value / (std + 1e-6)),
          6,
        );
      });
    }),
  );
});

test('adding a constant to a group changes nothing', () => {
  fc.assert(
    fc.property(group, fc.integer({ min: -1000, max: 1000 }), (rewards, shift) => {
      const shifted = rewards.map((own) => own + shift);
      expectClose(
        calculateGrpoAdvantages([shifted]).advantages[0],
        Array.from(calculateGrpoAdvantages([rewards]).advantages[0] ?? []),
      );
      expectClose(
        calculateRlooAdvantages([shifted]).advantages[0],
        Array.from(calculateRlooAdvantages([rewards]).advantages[0] ?? []),
      );
    }),
  );
});

test('scaling rewards scales rloo, and leaves grpo as it is when epsilon is zero', () => {
  fc.assert(
    fc.property(group, fc.integer({ min: 1, max: 64 }), (rewards, scale) => {
      const scaled = rewards.map((own) => own * scale);
      expectClose(
        calculateRlooAdvantages([scaled]).advantages[0],
        Array.from(calculateRlooAdvantages([rewards]).advantages[0] ?? [], (value) => value * scale),
        6,
      );
      expectClose(
        calculateGrpoAdvantages([scaled], { epsilon: 0 }).advantages[0],
        Array.from(calculateGrpoAdvantages([rewards], { epsilon: 0 }).advantages[0] ?? []),
      );
    }),
  );
});

test('permuting a group permutes its advantages', () => {
  fc.assert(
    fc.property(group, fc.nat(), (rewards, by) => {
      const turned = rewards.map((_, i) => rewards[(i + by) % rewards.length] ?? 0);
      const own = calculateGrpoAdvantages([rewards]).advantages[0] ?? new Float64Array();
      const expected = rewards.map((_, i) => own[(i + by) % rewards.length] ?? Number.NaN);
      expectClose(calculateGrpoAdvantages([turned]).advantages[0], expected);
    }),
  );
});

test('groups do not influence each other, but for reinforce++ baseline', () => {
  fc.assert(
    fc.property(groups, (rewards) => {
      const together = calculateGrpoAdvantages(rewards).advantages;
      const apart = rewards.map((own) => calculateGrpoAdvantages([own]).advantages[0]);
      expect(together).toEqual(apart);
      expect(calculateRlooAdvantages(rewards).advantages).toEqual(
        rewards.map((own) => calculateRlooAdvantages([own]).advantages[0]),
      );
    }),
  );
});
