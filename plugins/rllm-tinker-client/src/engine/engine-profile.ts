import type { LossFn } from '../types/loss-fn.js';

/** What one loss takes on one engine. */
export interface LossProfile {
  /** Loss inputs that must be there. Any other is refused: engines drop or reject what they do not know. */
  readonly inputs: readonly string[];
  /** Keys that the loss config may have, each with the value that the engine takes without it (undefined: not known). */
  readonly config: Readonly<Record<string, number | undefined>>;
  /** True where the engine ignores the config and always uses these values: other values are then refused. */
  readonly fixedConfig?: boolean;
}

/** How an engine differs from others, as data. Give a changed copy as `engine` to describe an engine of your own. */
export interface EngineProfile {
  /** `hosted`, `tx`, `tx-0.3`, or a name of your own. */
  readonly name: string;
  /** Losses by name; one that is not here is refused. */
  readonly losses: Readonly<Partial<Record<LossFn, LossProfile>>>;
  /** Whether the gradient of a batch is the sum over its tokens, or the mean over sequences of each one's weighted mean. */
  readonly lossReduction: 'token-sum' | 'sequence-mean';
  /** Whether every datum's weights must have a positive sum, since the engine divides by it. */
  readonly positiveWeightSum: boolean;
  /** Whether `gradClipNorm` has an effect. */
  readonly gradClipping: boolean;
  /** Whether `topkPromptLogprobs` is answered. */
  readonly topkPromptLogprobs: boolean;
  /**
   * Whether a sampler checkpoint keeps its weights once training goes on. Where false, sampling an older one gives the trainer's present
   * weights or even rolls the trainer back (tx with its JAX backend).
   */
  readonly samplersKeepWeights: boolean;
  /** Whether `ttlSeconds` and `overwrite` of a save have an effect. */
  readonly checkpointOptions: boolean;
  /** Whether all checkpoints of the account can be listed, not those of one run alone. */
  readonly listsAllCheckpoints: boolean;
  /** Whether archives are asked for by the checkpoint's name alone, and exist of sampler weights only. */
  readonly bareArchiveNames: boolean;
  /** Whether a load may leave the optimizer out; where false, it always comes along. */
  readonly loadsWithoutOptimizer: boolean;
  /** Whether the rank must be a power of two. */
  readonly powerOfTwoRank: boolean;
  /** How a key begins; undefined where any or none will do. */
  readonly keyPrefixes: readonly string[] | undefined;
  /** Whether status 409 passes by itself; where false it means that a name or a sequence number is taken. */
  readonly conflictIsTransient: boolean;
  /** Whether a training request sent twice under one sequence number is executed once. */
  readonly deduplicates: boolean;
  /** Statuses with which a poll says, by a `detail` in JSON, that the operation failed, rather than the poll itself. */
  readonly failedResultStatuses: readonly number[];
  /**
   * Whether a forward pass keeps its place behind an optimizer step that is not executed yet. Where false, later optimizer steps and saves
   * overtake it: await the results of a step before submitting the next pass.
   */
  readonly keepsOrder: boolean;
  /**
   * How long after a call is accepted its result is first asked for, in ms. An engine that holds a poll and answers as soon as it can wants 0;
   * one that looks for the result in growing pauses is asked once it may be there.
   */
  readonly firstPollMs: number;
  /** Whether closing the client unloads its models, to free what they hold. */
  readonly unloadOnClose: boolean;
  /** The wire that `wire: 'auto'` takes. */
  readonly wire: 'json' | 'protobuf';
  readonly concurrentPolls: number;
  readonly concurrentSamples: number;
  readonly concurrentSampleSubmits: number;
}
