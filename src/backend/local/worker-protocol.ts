import type { Loss } from '../loss.js';
import type { AdamSettings } from './adam.js';
import type { CriticSettings } from './critic.js';
import type { EvaluationBatch } from './evaluation.js';
import type { LossSums } from './loss-sums.js';
import type { MicroBatch } from './micro-batch.js';
import type { ModelShape } from './model-shape.js';
import type { SampleRequestColumns, SampleResultColumns } from './sample-message.js';

/** What a worker is started with. The buffers are shared by all workers and the main thread. */
export interface WorkerSetup {
  readonly shape: ModelShape;
  readonly words: readonly string[];
  readonly separator: ' ' | '';
  readonly endOfTurn: number | undefined;
  readonly seed: number;
  readonly memory: SharedModel;
  /** For a shape with a value head. */
  readonly critic?: CriticSettings;
  readonly frozen: FrozenModels;
}

/** The model's state, flat float32: the one source of truth. Only the worker of an `update` writes weights and moments. */
export interface SharedModel {
  readonly weights: SharedArrayBuffer;
  readonly firstMoment: SharedArrayBuffer;
  readonly secondMoment: SharedArrayBuffer;
  /**
   * Partial gradients. Micro-batch i of a step adds to lane i mod lanes, in order, and lanes are added in order: so the sum does not depend on
   * which worker computes which lane.
   */
  readonly lanes: readonly SharedArrayBuffer[];
}

/** A model that is asked and never trained, flat float32; its shape has no critic. The main thread alone writes its weights. */
export interface FrozenModel {
  readonly shape: ModelShape;
  readonly weights: SharedArrayBuffer;
}

/** The frozen models of a run, where it has any. */
export interface FrozenModels {
  readonly reference?: FrozenModel;
  readonly teacher?: FrozenModel;
}

/** Calls that are answered once: what is asked and what is answered, by name. */
export interface WorkerCalls {
  /** Fills the shared weights from the seed. */
  initialize: { readonly ask: null; readonly answer: null };
  /** Takes over the shared weights under a version. */
  refresh: { readonly ask: { readonly version: number }; readonly answer: null };
  /** Takes over the shared weights of a frozen model. */
  freeze: { readonly ask: { readonly model: keyof FrozenModels }; readonly answer: null };
  /** The critic's values of contexts. */
  values: {
    readonly ask: { readonly batches: readonly EvaluationBatch[] };
    readonly answer: readonly Float64Array[];
  };
  /** Log-probs of tokens under a frozen model. */
  logprobs: {
    readonly ask: { readonly model: keyof FrozenModels; readonly batches: readonly EvaluationBatch[] };
    readonly answer: readonly Float64Array[];
  };
  /** Compiles what sequences of up to `depth` tokens need. `loss` is null where only sampling is wanted. */
  warmUp: {
    readonly ask: { readonly depth: number; readonly loss: Loss | null; readonly sampling: boolean };
    readonly answer: null;
  };
  /** Sums the gradients of micro-batches into a lane. */
  gradient: {
    readonly ask: { readonly lane: number; readonly batches: readonly MicroBatch[] };
    readonly answer: readonly LossSums[];
  };
  /** Adds up the first `lanes` lanes, scales the sum, and takes an Adam step. The answer is the gradient's norm; if not finite, nothing changed. */
  update: {
    readonly ask: { readonly lanes: number; readonly scale: number; readonly adam: AdamSettings };
    readonly answer: number;
  };
}

export type WorkerCallName = keyof WorkerCalls;

/** A call on its way. */
export type WorkerCall = {
  [Name in WorkerCallName]: {
    readonly kind: Name;
    readonly callId: number;
    readonly ask: WorkerCalls[Name]['ask'];
  };
}[WorkerCallName];

/** Main thread → worker. */
export type WorkerRequest =
  | WorkerCall
  | { readonly kind: 'sample'; readonly requests: SampleRequestColumns }
  | { readonly kind: 'abort'; readonly id: number };

/** Worker → main thread. */
export type WorkerReply =
  | { readonly kind: 'answer'; readonly callId: number; readonly answer: unknown }
  | { readonly kind: 'failed'; readonly callId: number | undefined; readonly error: unknown }
  | { readonly kind: 'sampled'; readonly results: SampleResultColumns };
