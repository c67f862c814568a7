import type { Tokens } from './tokens.js';

/**
 * Numbers of one loss input, one per position. `target_tokens` travels as int64, everything else as float32, whatever array is
 * given: a double is rounded to single precision (`Math.fround`) on both wires alike.
 */
export type LossInput = Float32Array | Float64Array | Int32Array | readonly number[];

/**
 * One sequence to compute a loss on. Entry i of every loss input belongs to predicting `target_tokens[i]` from `modelInput[0..i]`, so
 * all arrays have the length of `modelInput`.
 */
export interface Datum {
  readonly modelInput: Tokens;
  /** By the protocol's names: `target_tokens`, `weights`, `logprobs`, `advantages`. An `EngineProfile` says which a loss takes. */
  readonly lossInputs: Readonly<Record<string, LossInput>>;
}
