/** Shape of the adapter to train. */
export interface LoraConfig {
  /** Default 32. The hosted service wants a power of two. */
  readonly rank?: number;
  /** Start values; the engine draws a seed when absent. */
  readonly seed?: number;
  readonly trainAttn?: boolean;
  readonly trainMlp?: boolean;
  readonly trainUnembed?: boolean;
}
