import { DEFAULT_RANK } from '../training/validate-lora.js';
import type { HttpAnswer } from '../transport/http-answer.js';
import type { HttpRequest } from '../transport/http-transport.js';
import type { LoraConfig } from '../types/lora.js';
import { invalidResponse } from './invalid-response.js';
import { jsonPost } from './json-post.js';

/** What a new model is made of. */
export interface NewModel {
  readonly baseModel: string;
  readonly lora?: LoraConfig;
  readonly userMetadata?: Readonly<Record<string, string>>;
}

export function encodeCreateModel(sessionId: string, modelSeqId: number, model: NewModel): HttpRequest {
  const {
    rank = DEFAULT_RANK,
    seed,
    trainAttn = true,
    trainMlp = true,
    trainUnembed = true,
  } = model.lora ?? {};
  return jsonPost('/create_model', {
    session_id: sessionId,
    model_seq_id: modelSeqId,
    base_model: model.baseModel,
    user_metadata: model.userMetadata,
    lora_config: { rank, seed, train_unembed: trainUnembed, train_mlp: trainMlp, train_attn: trainAttn },
    type: 'create_model',
  });
}

/** The new model's id. @throws TinkerError RESPONSE_INVALID */
export function createdModel(answer: HttpAnswer): string {
  const { model_id: id } = answer.json() as { readonly model_id?: unknown };
  if (typeof id !== 'string') throw invalidResponse('a new model without model_id');
  return id;
}
