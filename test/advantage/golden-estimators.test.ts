import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import {
  calculateGrpoAdvantages,
  calculateReinforceAdvantages,
  calculateReinforcePlusPlusBaselineAdvantages,
  calculateRlooAdvantages,
} from '../../src/advantage/index.js';
import { algorithm, builtInRegistry, group, isClose } from './support.js';

interface GoldenCase {
  readonly kind: string;
  readonly rewards: readonly (readonly number[])[];
  readonly advantages: Readonly<Record<string, readonly (readonly number[])[]>>;
}

const file = new URL('../golden/estimators.json', import.meta.url);
const { cases } = JSON.parse(readFileSync(file, 'utf8')) as { cases: readonly GoldenCase[] };

const functions: Record<
  string,
  (rewards: GoldenCase['rewards']) => { advantages: Float64Array[]; returns: Float64Array[] }
> = {
  grpo: (rewards) => calculateGrpoAdvantages(rewards),
  grpo_without_std: (rewards) => calculateGrpoAdvantages(rewards, { normAdvByStdInGrpo: false }),
  reinforce: calculateReinforceAdvantages,
  reinforce_plus_plus_baseline: (rewards) => calculateReinforcePlusPlusBaselineAdvantages(rewards),
  rloo: calculateRlooAdvantages,
};

function throughRegistry(name: string, rewards: GoldenCase['rewards']): readonly ArrayLike<number>[] {
  const withoutStd = name === 'grpo_without_std';
  const estimator = builtInRegistry().get(withoutStd ? 'grpo' : name);
  const { advantages } = estimator.estimate({
    role: 'solver',
    rewards: rewards.map((own) => Float64Array.from(own)),
    groups: rewards.map((own) => group(own)),
    algorithm: algorithm({ normAdvByStdInGrpo: !withoutStd }),
    options: {},
  });
  return advantages as readonly ArrayLike<number>[];
}

describe.each(cases.map((golden, index) => ({ index, ...golden })))(
  'reference case $index ($kind)',
  ({ rewards, advantages }) => {
    const largest = Math.max(...rewards.flat().map(Math.abs));

    test.each(Object.entries(advantages))('%s gives the numbers of the reference', (name, expected) => {
      const exact = expected.map((row, g) =>
        name === 'reinforce' ? row : withoutNoise(row, rewards[g] ?? []),
      );
      const result = functions[name]?.(rewards);
      expect(faults(result?.advantages ?? [], exact, largest)).toEqual([]);
      expect(faults(result?.returns ?? [], exact, largest)).toEqual([]);
      expect(faults(throughRegistry(name, rewards), exact, largest)).toEqual([]);
    });
  },
);

/** In a group of equal rewards the reference has float noise where the right answer is 0. */
function withoutNoise(row: readonly number[], rewards: readonly number[]): readonly number[] {
  if (rewards.length < 2 || new Set(rewards).size > 1) return row;
  expect(Math.max(...row.map(Math.abs))).toBeLessThan(1e-9);
  return row.map(() => 0);
}

function faults(
  got: readonly ArrayLike<number>[],
  expected: readonly (readonly number[])[],
  largest: number,
): unknown[] {
  if (got.length !== expected.length) return [`${got.length} groups instead of ${expected.length}`];
  return expected.flatMap((row, g): unknown[] => {
    const own = got[g];
    if (own?.length !== row.length) return [`group ${g} has ${own?.length} instead of ${row.length}`];
    return row.flatMap((value, i): unknown[] => {
      const mine = own[i] ?? Number.NaN;
      return isClose(mine, value, largest) ? [] : [{ g, i, expected: value, got: mine }];
    });
  });
}
