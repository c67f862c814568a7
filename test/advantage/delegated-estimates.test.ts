import { describe, expect, test } from 'vitest';
import {
  type AdvantageBatch,
  type AdvantageEstimates,
  collectRewardsAndAdvantages,
  type EstimateFunction,
} from '../../src/advantage/index.js';
import type { AlgorithmConfig } from '../../src/config/types.js';
import type { Step } from '../../src/types/index.js';
import { advantagesOf, algorithm, builtInRegistry, group } from './support.js';

describe('an estimator that hands its batch to one of the SDK', () => {
  const given = () => [group([1, 0, 0], { taskId: 'a' }), group([3, 1], { taskId: 'b' })];
  const centred = { estimator: 'mine', normAdvByStdInGrpo: false };
  type Wrapped = (batch: AdvantageBatch, grpo: EstimateFunction) => AdvantageEstimates;

  function advantagesBy(
    wrapped: Wrapped,
    policy: Partial<AlgorithmConfig> = {},
  ): (Step['advantage'] | null)[][] {
    const registry = builtInRegistry();
    const { estimate } = registry.get('grpo');
    const mine = { estimate: (batch: AdvantageBatch) => wrapped(batch, estimate) };
    const groups = given();
    collectRewardsAndAdvantages(groups, algorithm({ ...centred, ...policy }), {
      registry: { get: (name) => (name === 'mine' ? mine : registry.get(name)) },
    });
    return groups.map(advantagesOf);
  }

  const plain = [
    [2 / 3, -1 / 3, -1 / 3],
    [1, -1],
  ].map((own) => own.map((value) => expect.closeTo(value, 12)));
  const twice = [
    [4 / 3, -2 / 3, -2 / 3],
    [2, -2],
  ].map((own) => own.map((value) => expect.closeTo(value, 12)));
  const doubled = (rows: readonly ArrayLike<number>[]) =>
    rows.map((own) => Float64Array.from(own, (value) => 2 * value));
  const double = (own: Float64Array): void => {
    for (let i = 0; i < own.length; i++) own[i] = 2 * (own[i] as number);
  };
  const rowsOf = ({ advantages }: AdvantageEstimates) => advantages as Float64Array[];

  const cases: { what: string; wrapped: Wrapped; expected: unknown }[] = [
    { what: 'as it is', wrapped: (batch, grpo) => grpo(batch), expected: plain },
    { what: 'as a copy', wrapped: (batch, grpo) => ({ ...grpo({ ...batch }) }), expected: plain },
    {
      what: 'with other rewards',
      wrapped: (batch, grpo) => grpo({ ...batch, rewards: doubled(batch.rewards) }),
      expected: twice,
    },
    {
      what: 'after changing the copy of the rewards that it got',
      wrapped: (batch, grpo) => {
        for (const own of batch.rewards) double(own);
        return grpo(batch);
      },
      expected: twice,
    },
    {
      what: 'and changes the numbers that come back',
      wrapped: (batch, grpo) => {
        const output = grpo(batch);
        for (const own of rowsOf(output)) double(own);
        return output;
      },
      expected: twice,
    },
    {
      what: 'and puts other lists in place of those that come back',
      wrapped: (batch, grpo) => {
        const output = grpo(batch);
        const rows = rowsOf(output);
        rows.splice(0, rows.length, ...doubled(rows));
        return output;
      },
      expected: twice,
    },
  ];
  test.each(cases)('$what has what it asked for', ({ wrapped, expected }) => {
    expect(advantagesBy(wrapped)).toEqual(expected);
  });

  test('and returns what fits other groups is refused', () => {
    const wrong: Wrapped = (batch, grpo) => grpo({ ...batch, rewards: batch.rewards.toReversed() });
    expect(() => advantagesBy(wrong)).toThrow(
      expect.objectContaining({ code: 'ESTIMATOR_OUTPUT', message: expect.stringContaining('3 advantages') }),
    );
  });

  test('and holds on to what comes back has it as it was', () => {
    const held: AdvantageEstimates[] = [];
    const holding: Wrapped = (batch, grpo) => {
      const output = grpo(batch);
      held.push(output);
      return output;
    };
    const clipped = advantagesBy(holding, { advantageClip: 0.5 });
    expect(clipped[1]).toEqual([0.5, -0.5]);
    expect(held[0]?.advantages[1]).toEqual(Float64Array.of(1, -1));
  });

  test('sees plain data', () => {
    const seen: { batch?: object; output?: object } = {};
    advantagesBy((batch, grpo) => {
      seen.batch = { ...batch };
      seen.output = { ...grpo(batch) };
      return grpo(batch);
    });
    expect(seen.batch).toMatchObject({
      role: 'solver',
      rewards: [Float64Array.of(1, 0, 0), Float64Array.of(3, 1)],
      options: {},
    });
    expect(seen.output).toEqual({
      advantages: plain.map((own) => expect.objectContaining(own)),
      returns: plain.map((own) => expect.objectContaining(own)),
    });
  });
});
