import { RllmError } from 'rllm-sdk';

/**
 * A number for each sampled token, `[g][i][t]`: t over the response tokens of the trajectory's steps in order. What the model
 * was told between steps stands in prompts and has no entry, so a row needs no mask.
 */
export type TokenRows = readonly (readonly ArrayLike<number>[])[];

/** Rows that are views of one flat buffer in order: the batch is worked over `flat`, a trajectory over its row. */
export interface TokenTable {
  readonly flat: Float64Array;
  readonly rows: readonly (readonly Float64Array[])[];
}

/** What the `calculate…` functions of this package return. */
export interface TokenAdvantages {
  readonly advantages: readonly (readonly Float64Array[])[];
  /** Reward-to-go of each token, in reward units: what a critic is trained on. Apart from `advantages`. */
  readonly returns: readonly (readonly Float64Array[])[];
}

/** A table of zeros. @param lengths  `lengths[g][i]`, number of tokens. */
export function tableOf(lengths: readonly ArrayLike<number>[]): TokenTable {
  let total = 0;
  for (const group of lengths) for (let i = 0; i < group.length; i++) total += group[i] as number;
  const flat = new Float64Array(total);
  let end = 0;
  const rows = lengths.map((group) =>
    Array.from({ length: group.length }, (_, i) => {
      const start = end;
      end += group[i] as number;
      return new Float64Array(flat.buffer, start * Float64Array.BYTES_PER_ELEMENT, end - start);
    }),
  );
  return { flat, rows };
}

/** A table of zeros with as many tokens in each row. */
export function tableLike(rows: TokenRows): TokenTable {
  return tableOf(rows.map((group) => group.map(({ length }) => length)));
}

/**
 * A copy of rows, to work on in place.
 *
 * @param what  what a message calls a row: `token rewards`.
 * @throws RllmError ESTIMATOR_INPUT for what is not a finite number, with group, trajectory and token.
 */
export function copyRows(rows: TokenRows, what: string): TokenTable {
  const table = tableLike(rows);
  const { flat } = table;
  let end = 0;
  for (let g = 0; g < rows.length; g++) {
    const group = rows[g] as readonly ArrayLike<number>[];
    for (let i = 0; i < group.length; i++) {
      const row = group[i] as ArrayLike<number>;
      for (let t = 0; t < row.length; t++) {
        const value = row[t];
        if (!Number.isFinite(value)) throw notFinite(what, g, i, t, value);
        flat[end++] = value as number;
      }
    }
  }
  return table;
}

/** A copy of a table. */
export function copyTable({ flat, rows }: TokenTable): TokenTable {
  const table = tableLike(rows);
  table.flat.set(flat);
  return table;
}

function notFinite(what: string, g: number, i: number, t: number, value: unknown): RllmError {
  return new RllmError(
    'ESTIMATOR_INPUT',
    `The ${what} of trajectory ${i} of group ${g} hold ${String(value)} at token ${t}, not a finite number.`,
    { details: { group: g, trajectory: i, token: t } },
  );
}

type Ragged<Row> = readonly ArrayLike<Row>[];

/** @throws RllmError ESTIMATOR_INPUT when `rows[g][i]` are not as many and as long as those of `model`, saying where. */
export function checkShape(
  rows: Ragged<ArrayLike<unknown>>,
  model: Ragged<ArrayLike<unknown>>,
  what: string,
): void {
  checkGroups(rows, model, what);
  model.forEach((group, g) => {
    for (let i = 0; i < group.length; i++) {
      expectLength(
        rows[g]?.[i]?.length,
        group[i]?.length,
        `${what} of trajectory ${i} of group ${g}: tokens`,
      );
    }
  });
}

/** @throws RllmError ESTIMATOR_INPUT when there are not as many groups as in `model`, or one is not as large. */
export function checkGroups(rows: Ragged<unknown>, model: Ragged<unknown>, what: string): void {
  expectLength(rows.length, model.length, `${what}: groups`);
  model.forEach((group, g) => {
    expectLength(rows[g]?.length, group.length, `${what} of group ${g}: trajectories`);
  });
}

function expectLength(got: number | undefined, expected: number | undefined, what: string): void {
  if (got === expected) return;
  throw new RllmError('ESTIMATOR_INPUT', `${what}: expected ${expected}, got ${got ?? 'none'}.`, {
    details: { expected: expected ?? null, got: got ?? null },
  });
}
