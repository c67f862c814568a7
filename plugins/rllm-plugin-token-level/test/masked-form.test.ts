import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  calculateGaeAdvantages,
  calculateReinforcePlusPlusAdvantages,
  type DiscountUnit,
  type StepSpan,
} from '../src/index.js';

/** A conversation as other systems hold it: one row with a mask that is 0 on what was read. */
interface Masked {
  readonly mask: readonly boolean[];
  readonly rewards: readonly number[];
  readonly values: readonly number[];
}

const eighths = fc.integer({ min: -40, max: 40 }).map((n) => n / 8);

const masked: fc.Arbitrary<Masked> = fc
  .array(fc.record({ read: fc.integer({ min: 1, max: 3 }), sampled: fc.integer({ min: 1, max: 3 }) }), {
    minLength: 1,
    maxLength: 4,
  })
  .chain((turns) => {
    const mask = turns.flatMap(({ read, sampled }, turn) => [
      ...new Array<boolean>(turn === 0 ? 0 : read).fill(false),
      ...new Array<boolean>(sampled).fill(true),
    ]);
    const row = fc.array(eighths, { minLength: mask.length, maxLength: mask.length });
    return fc.record({ mask: fc.constant(mask), rewards: row, values: row });
  });

const sampledOf = (row: readonly number[], mask: readonly boolean[]): number[] =>
  row.filter((_, t) => mask[t]);

/** The same conversation as steps. */
function spansOfMask(mask: readonly boolean[]): StepSpan[] {
  const spans: { tokens: number; observed: number }[] = [];
  let observed = 0;
  mask.forEach((isSampled, t) => {
    const last = spans.at(-1);
    if (!isSampled) observed++;
    else if (t > 0 && mask[t - 1] === true && last !== undefined) last.tokens++;
    else {
      spans.push({ tokens: 1, observed });
      observed = 0;
    }
  });
  return spans;
}

/** One pass from the end; `carries` leaves the sum as it is where a token was read, else it decays there too. */
function maskedReturns({ mask, rewards }: Masked, gamma: number, carries: boolean): number[] {
  const returns = rewards.map(() => 0);
  let running = 0;
  for (let t = mask.length - 1; t >= 0; t--) {
    if (mask[t] === true) running = (rewards[t] ?? 0) + gamma * running;
    else if (!carries) running *= gamma;
    returns[t] = running;
  }
  return returns;
}

test.each([
  { discount: 'tokens', carries: true, system: 'verl' },
  { discount: 'all_tokens', carries: false, system: 'OpenRLHF, slime and ROLL' },
] as const)(
  'returns that count $discount are those of the masked row of $system',
  ({ discount, carries }) => {
    fc.assert(
      fc.property(masked, fc.double({ min: 0, max: 1, noNaN: true }), (row, gamma) => {
        const unit: DiscountUnit = discount;
        const { returns } = calculateReinforcePlusPlusAdvantages([[sampledOf(row.rewards, row.mask)]], {
          gamma,
          discount: unit,
          spans: [[spansOfMask(row.mask)]],
        });
        const expected = sampledOf(maskedReturns(row, gamma, carries), row.mask);
        expect(returns[0]?.[0]).toHaveLength(expected.length);
        expected.forEach((value, t) => {
          expect(returns[0]?.[0]?.[t]).toBeCloseTo(value, 9);
        });
      }),
    );
  },
);

test('gae is that of the masked row of verl and AReaL, which carries value and error over what was read', () => {
  fc.assert(
    fc.property(masked, ({ mask, rewards, values }) => {
      const [gamma, lambda] = [0.9, 0.8];
      const expected: number[] = [];
      let nextValue = 0;
      let error = 0;
      for (let t = mask.length - 1; t >= 0; t--) {
        if (mask[t] !== true) continue;
        error = (rewards[t] ?? 0) + gamma * nextValue - (values[t] ?? 0) + gamma * lambda * error;
        nextValue = values[t] ?? 0;
        expected.unshift(error);
      }
      const { advantages } = calculateGaeAdvantages(
        [[sampledOf(rewards, mask)]],
        [[sampledOf(values, mask)]],
        {
          gamma,
          lambda,
          whiten: false,
        },
      );
      expected.forEach((value, t) => {
        expect(advantages[0]?.[0]?.[t]).toBeCloseTo(value, 10);
      });
    }),
  );
});
