import type { ConfigFault } from './config-fault.js';
import type { RllmConfig } from './types.js';
import type { ValueSource } from './value-source.js';

/** A resolved configuration and where it comes from. */
export interface LoadedConfig {
  /** Frozen. A faulty value stands at its default, see `faults`. */
  readonly config: RllmConfig;
  readonly file: string | null;
  /** Against which relative paths of the configuration resolve. */
  readonly directory: string;
  /** Source of each leaf, by path (`algorithm.estimatorMap.judge`); ask `sourceOf` for sections. */
  readonly sources: Readonly<Record<string, ValueSource>>;
  /** What was written, without defaults, before environment variables were put in. */
  readonly raw: unknown;
  /** What is wrong; empty unless faults were to be collected. */
  readonly faults: readonly ConfigFault[];
}
