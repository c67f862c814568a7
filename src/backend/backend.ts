import type { Requirement } from '../advantage/estimator.js';
import type { AlgorithmConfig, RllmConfig } from '../config/types.js';
import type { UntrainableReason } from '../filtering/index.js';
import type { Logger } from '../logger.js';
import type { RolloutEngine } from '../rollout/index.js';
import type { StandardSchema } from '../standard-schema.js';
import type { Metrics, Step, TrainerState, Trajectory } from '../types/index.js';

/** What a backend can do. A setting that needs more is an error at start. */
export interface BackendCapabilities {
  /** False for backends that only sample: then only validation and `eval` run. */
  readonly training: boolean;
  /** Names for `algorithm.lossFn`. */
  readonly losses: readonly string[];
  /** Loss by estimator name where `algorithm.lossFn` is null; `default` for the rest. */
  readonly defaultLosses: Readonly<Record<string, string>> & { readonly default: string };
  readonly gradientClipping: boolean;
  readonly learningRateSchedules: readonly AlgorithmConfig['lrSchedule'][];
  readonly miniBatches: boolean;
  /** Advantages that differ between tokens of a step. */
  readonly perTokenAdvantages: boolean;
  /** Log-probs of sampled tokens. */
  readonly logprobs: boolean;
  /** Writes `step.values` in stage 5: it has a critic. Absent means no. */
  readonly values?: boolean;
  /** Writes `step.referenceLogprobs` in stage 5. Absent means no. */
  readonly referenceLogprobs?: boolean;
  /** Writes `step.teacherLogprobs` in stage 5. Absent means no. */
  readonly teacherLogprobs?: boolean;
  readonly checkpoints: boolean;
}

/** One token sequence as a person reads it: for `trainer.showTrajectories`. */
export interface TokenView {
  /** Text of one token. */
  decode(tokenId: number): string;
}

/** What a backend is built from. */
export interface BackendContext {
  readonly config: RllmConfig;
  readonly logger: Logger;
  readonly signal: AbortSignal;
  /** What the chosen estimators and policies need: a backend computes no critic and keeps no reference that nobody asks for. */
  readonly requirements?: ReadonlySet<Requirement>;
  /** Folder that relative paths in the backend's options start from: that of the config file. Absent means the working directory. */
  readonly baseDirectory?: string;
}

/**
 * Where the model lives. The trainer calls the methods in the order of the eight stages; a backend never computes
 * advantages: `step.advantage` is set by the core between `processBatch` and `updatePolicy`.
 *
 * @typeParam Batch  the backend's own form of a batch, made in stage 4 and kept in `state.backendBatch`.
 */
export interface Backend<Batch = unknown> {
  readonly name: string;
  readonly capabilities: BackendCapabilities;
  readonly rolloutEngine: RolloutEngine;
  readonly tokens?: TokenView;
  /** Number of optimiser steps taken, which names the weights. */
  readonly weightVersion: number;

  /** Starts workers, connects, makes or loads the model. Called once, before anything else. */
  start(): Promise<void>;
  /**
   * Why it cannot train on a trajectory; undefined when it can. Asked in stage 3: one that cannot train is left out before it is
   * compared with others, and the ledger counts it by this reason. A backend without it takes all.
   */
  trajectoryFault?(trajectory: Trajectory): UntrainableReason | undefined;
  /** Stage 4: trajectory groups to the backend's batch. Pure: it may be called for a batch that is never trained on. */
  transformToBackendBatch(state: TrainerState): Batch;
  /** Stage 5: what must be known before advantages are (log-probs of the current weights, values). */
  processBatch(state: TrainerState<Batch>): Promise<Metrics>;
  /** Stage 7: one or more optimiser steps. Reads `step.advantage` of each step of the groups. */
  updatePolicy(state: TrainerState<Batch>): Promise<Metrics>;

  /** Writes weights, optimiser and random state into an existing empty folder. */
  saveCheckpoint(directory: string): Promise<void>;
  /** @throws RllmError CHECKPOINT_INVALID when files are missing or belong to another model. */
  loadCheckpoint(directory: string): Promise<void>;

  onTrainStart?(state: TrainerState): Promise<void>;
  onTrainEnd?(state: TrainerState): Promise<void>;
  onEpochStart?(state: TrainerState): Promise<void>;
  onEpochEnd?(state: TrainerState): Promise<void>;
  onBatchStart?(state: TrainerState): Promise<void>;
  onBatchEnd?(state: TrainerState): Promise<void>;
  /** Returning false skips this validation. */
  onValidationStart?(state: TrainerState): Promise<boolean>;
  onValidationEnd?(state: TrainerState): Promise<void>;
  /** Releases everything; safe to call twice, and during `start`. */
  shutdown(): Promise<void>;
}

/** Validates a backend's options before it is built; any Standard Schema. */
export interface BackendDefinition {
  readonly name: string;
  readonly summary: string;
  readonly options: StandardSchema;
  /** What it can do whatever its options, so that a config can be checked when the backend cannot be built. */
  readonly capabilities?: BackendCapabilities;
  /** Faults of the whole configuration that only this backend can see, one sentence each with its config path. */
  check?(
    config: RllmConfig,
    options: unknown,
  ): readonly { readonly path: string; readonly message: string }[];
  create(options: unknown, context: BackendContext): Backend;
}

/** The advantage of each response token of a step, shape [responseIds.length]; absent advantages count as 0. */
export function tokenAdvantages(step: Step): readonly number[] {
  const { advantage, responseIds } = step;
  if (typeof advantage === 'number' || advantage === undefined) {
    return new Array<number>(responseIds.length).fill(advantage ?? 0);
  }
  return advantage;
}
