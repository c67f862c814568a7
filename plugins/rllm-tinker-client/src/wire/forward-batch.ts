import type { HttpRequest } from '../transport/http-transport.js';
import type { Datum } from '../types/datum.js';
import type { LossConfig, LossFn } from '../types/loss-fn.js';

/** What one request of forward or forward_backward says, apart from its model and its turn. */
export interface ForwardBatch {
  readonly withGradient: boolean;
  readonly data: readonly Datum[];
  readonly lossFn: LossFn;
  readonly lossConfig: LossConfig | undefined;
}

/** A batch in the form of its wire. Called once, when its turn is known. */
export type EncodedBatch = (modelId: string, seqId: number) => HttpRequest;

/** The loss input that holds token ids; every other holds real numbers. */
export const TOKEN_INPUT = 'target_tokens';
