import { describe, expect, test } from 'vitest';
import {
  type AdvantageBatch,
  type AdvantageEstimates,
  AdvEstimator,
  calculateRlooAdvantages,
  type EstimateFunction,
  type EstimatorClass,
} from '../../src/advantage/index.js';
import { type EstimatorContractOptions, estimatorContract } from '../../src/testing/index.js';
import type { Json } from '../../src/types/index.js';

/** Names of the checks that an estimator does not stand. */
function failures(declared: EstimateFunction | EstimatorClass, options?: EstimatorContractOptions): string[] {
  return estimatorContract(declared, options).flatMap(({ name, run }) => {
    try {
      run();
      return [];
    } catch {
      return [name];
    }
  });
}

const rloo = ({ rewards }: AdvantageBatch): AdvantageEstimates => calculateRlooAdvantages(rewards);
let calls = 0;

describe('the contract of estimators', () => {
  test('stands for what is right', () => {
    expect(failures(AdvEstimator('right')((batch) => rloo(batch)))).toEqual([]);
  });

  test.each<[string, EstimateFunction, string[]]>([
    [
      'works in place',
      ({ rewards }) => ({ advantages: rewards.map((own) => own.fill(0)) }),
      ['what it is given is left as it is'],
    ],
    [
      'writes to trajectories',
      (batch) => {
        for (const { trajectories } of batch.groups) for (const { info } of trajectories) info['seen'] = true;
        return rloo(batch);
      },
      ['what it is given is left as it is'],
    ],
    [
      'divides by a spread of 0',
      ({ rewards }) => ({
        advantages: rewards.map((own) =>
          own.map((reward) => (reward - (own[0] ?? 0)) / (Math.max(...own) - Math.min(...own))),
        ),
      }),
      expect.arrayContaining([
        'one trajectory: a finite advantage for each',
        'equal rewards: finite, and never −0',
      ]) as unknown as string[],
    ],
    [
      'loses its digits to an offset',
      ({ rewards }) => ({
        advantages: rewards.map((own) => {
          const mean = own.reduce((sum, r) => sum + r, 0) / own.length;
          const square = own.reduce((sum, r) => sum + r * r, 0) / own.length;
          return own.map((r) =>
            own.every((one) => one === own[0])
              ? 0
              : (r - mean) / (Math.sqrt(Math.abs(square - mean * mean)) + 1e-6),
          );
        }),
      }),
      ['small differences on top of a million count as they do by themselves'],
    ],
    [
      'favours the first',
      ({ rewards }) => ({
        advantages: rewards.map((own) => own.map((_, i) => (i === 0 ? 0 : (own[i] ?? 0) - (own[0] ?? 0)))),
      }),
      ['trajectories in another order get their advantages in that order'],
    ],
    [
      'counts its calls',
      (batch) => {
        calls++;
        const { advantages } = calculateRlooAdvantages(batch.rewards);
        return { advantages: advantages.map((own) => own.map((a) => a * calls)) };
      },
      expect.arrayContaining([
        'the same input gives the same advantages, bit for bit',
      ]) as unknown as string[],
    ],
    [
      'says group and looks at the batch',
      ({ rewards }) => {
        const all = rewards.flatMap((own) => [...own]);
        const mean = all.reduce((sum, r) => sum + r, 0) / Math.max(1, all.length);
        return {
          advantages: rewards.map((own) =>
            own.map((r) => (own.every((one) => one === own[0]) ? 0 : r - mean)),
          ),
        };
      },
      ['groups do not influence each other'],
    ],
    [
      'gives −0',
      (batch) => ({
        advantages: calculateRlooAdvantages(batch.rewards).advantages.map((own) =>
          own.map((a) => (a === 0 ? -0 : a)),
        ),
      }),
      ['equal rewards: finite, and never −0'],
    ],
  ])('falls for one that %s', (_, estimate, expected) => {
    const declared = AdvEstimator('wrong')((batch) => estimate(batch));
    expect(failures(declared)).toEqual(expected);
  });

  test('asks one that remembers for its whole state', () => {
    class Forgetful {
      #sum = 0;
      #count = 0;
      estimate({ rewards }: AdvantageBatch): AdvantageEstimates {
        const mean = this.#count === 0 ? 0 : this.#sum / this.#count;
        for (const own of rewards) for (const reward of own) this.#sum += reward;
        for (const own of rewards) this.#count += own.length;
        return { advantages: rewards.map((own) => own.map((reward) => reward - mean)) };
      }
      stateDict(): Json {
        return { sum: this.#sum };
      }
      loadStateDict(state: Json): void {
        this.#sum = (state as { readonly sum: number }).sum;
      }
    }
    AdvEstimator('forgetful', { scope: 'batch' })(Forgetful);
    expect(failures(Forgetful, { uniform: 'free' })).toEqual([
      'a state saved as JSON and loaded goes on as if nothing had happened',
    ]);
  });

  test('is only for what is declared', () => {
    expect(() => estimatorContract(rloo)).toThrow(expect.objectContaining({ code: 'DECORATOR_MISUSED' }));
  });
});
