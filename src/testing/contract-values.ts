import { type ErrorCode, messageOf, RllmError } from '../errors.js';
import type { Random } from '../random.js';
import type { TrajectoryGroup } from '../types/index.js';

/** Advantages `[g][i][k]`: one number, or one per token. */
export type RaggedAdvantages = readonly (readonly (readonly number[])[])[];

/** @throws Error with the message, unless the condition holds. */
export function expectThat(condition: boolean, message: string): void {
  if (!condition) throw new Error(message);
}

/** What an estimator returned, checked against the shape of its groups. @throws Error when it does not fit. */
export function readAdvantages(output: unknown, groups: readonly TrajectoryGroup[]): RaggedAdvantages {
  const rows = (output as { readonly advantages?: ArrayLike<ArrayLike<unknown>> } | null)?.advantages;
  if (rows === undefined) throw new Error(`it returned no advantages: ${String(output)}`);
  expectThat(rows.length === groups.length, `${groups.length} groups got ${rows.length} lists`);
  return groups.map(({ trajectories }, g) => {
    const row = Array.from(rows[g] ?? []);
    expectThat(
      row.length === trajectories.length,
      `group ${g} of ${trajectories.length} got ${row.length} advantages`,
    );
    return row.map((value, i) => {
      if (typeof value === 'number') return [value];
      const values = Array.from(value as ArrayLike<number>);
      const tokens = trajectories[i]?.steps.reduce((sum, { responseIds }) => sum + responseIds.length, 0);
      expectThat(
        values.length === tokens,
        `trajectory ${g}/${i} of ${tokens} tokens got ${values.length} advantages`,
      );
      return values;
    });
  });
}

export function expectFinite(advantages: RaggedAdvantages): void {
  for (const value of advantages.flat(2)) expectThat(Number.isFinite(value), `an advantage is ${value}`);
}

/** @throws Error when shapes or any bit differ. */
export function expectEqual(got: RaggedAdvantages, expected: RaggedAdvantages, when: string): void {
  compare(got, expected, when, Object.is);
}

/** @param tolerance  allowed difference, relative to the larger of 1 and the expected value. */
export function expectClose(
  got: RaggedAdvantages,
  expected: RaggedAdvantages,
  tolerance: number,
  when: string,
): void {
  compare(got, expected, when, (a, b) => Math.abs(a - b) <= tolerance * Math.max(1, Math.abs(b)));
}

function compare(
  got: RaggedAdvantages,
  expected: RaggedAdvantages,
  when: string,
  isSame: (a: number, b: number) => boolean,
): void {
  expectThat(got.length === expected.length, `${when}: ${got.length} groups instead of ${expected.length}`);
  expected.forEach((group, g) => {
    group.forEach((values, i) => {
      const own = got[g]?.[i] ?? [];
      const fits =
        own.length === values.length && values.every((value, k) => isSame(own[k] ?? Number.NaN, value));
      expectThat(fits, `${when}: trajectory ${g}/${i} got [${own}] instead of [${values}]`);
    });
  });
}

/** 0 … n − 1 in another order. */
export function permuted(n: number, random: Random): readonly number[] {
  const order = Array.from({ length: n }, (_, i) => i);
  for (let i = n - 1; i > 0; i--) {
    const j = random.int(i + 1);
    [order[i], order[j]] = [order[j] ?? j, order[i] ?? i];
  }
  return order;
}

/**
 * @param code  what the RllmError must have; any when absent.
 * @throws Error unless the promise rejects with an RllmError of that code.
 */
export async function expectFailure(
  promise: Promise<unknown>,
  code: ErrorCode | undefined,
  what: string,
): Promise<void> {
  let thrown: unknown;
  try {
    await promise;
  } catch (error) {
    thrown = error;
  }
  expectThat(thrown !== undefined, `${what} was no error`);
  const got = RllmError.isInstance(thrown) ? thrown.code : messageOf(thrown);
  const fits = RllmError.isInstance(thrown) && (code === undefined || thrown.code === code);
  expectThat(fits, `${what} was refused with ${got}${code === undefined ? '' : ` instead of ${code}`}`);
}
