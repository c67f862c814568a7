import fc from 'fast-check';

const number = fc.integer({ min: -80, max: 80 }).map((n) => n / 8);

/** Ragged rows `[g][i][t]` of eighths, some without tokens. */
export const tokenRows: fc.Arbitrary<number[][][]> = fc.array(
  fc.array(fc.array(number, { maxLength: 6 }), { minLength: 1, maxLength: 4 }),
  { minLength: 1, maxLength: 4 },
);

/** A log-prob of −4 to 0 in sixteenths. */
export const logprob: fc.Arbitrary<number> = fc.integer({ min: -64, max: 0 }).map((n) => n / 16);

/** Rows of the same shape as others, each number drawn anew. */
export function like(
  rows: readonly (readonly (readonly number[])[])[],
  seed: fc.Arbitrary<number>,
): fc.Arbitrary<number[][][]> {
  return fc.tuple(
    ...rows.map((group) =>
      fc.tuple(...group.map((row) => fc.array(seed, { minLength: row.length, maxLength: row.length }))),
    ),
  );
}
