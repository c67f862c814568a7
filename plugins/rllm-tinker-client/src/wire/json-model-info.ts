import * as z from 'zod';
import type { ModelInfo, WeightsInfo } from '../types/model-info.js';
import { invalidResponse } from './invalid-response.js';

const text = z.string().nullish();

const INFO = z.object({
  model_id: z.string(),
  model_name: text,
  lora_rank: z.number().nullish(),
  model_data: z.object({
    model_name: text,
    base_model: text,
    tokenizer_id: text,
    lora_config: z.object({ rank: z.number().nullish() }).nullish(),
  }),
});

const WEIGHTS = z.object({
  base_model: z.string(),
  is_lora: z.boolean(),
  lora_rank: z.number().nullish(),
  train_attn: z.boolean().nullish(),
  train_mlp: z.boolean().nullish(),
  train_unembed: z.boolean().nullish(),
});

/** Answer of `get_info`. @throws TinkerError RESPONSE_INVALID */
export function decodeModelInfo(body: unknown): ModelInfo {
  const info = INFO.safeParse(body);
  if (!info.success) throw invalidResponse('information on a model', info.error);
  const { model_id: modelId, model_name, lora_rank, model_data } = info.data;
  const baseModel = model_data.base_model ?? model_data.model_name ?? model_name ?? undefined;
  return {
    modelId,
    baseModel,
    loraRank: lora_rank ?? model_data.lora_config?.rank ?? undefined,
    tokenizerId: model_data.tokenizer_id?.split(':')[0] ?? model_data.model_name ?? baseModel,
  };
}

/** Answer of `weights_info`. @throws TinkerError RESPONSE_INVALID */
export function decodeWeightsInfo(body: unknown): WeightsInfo {
  const info = WEIGHTS.safeParse(body);
  if (!info.success) throw invalidResponse('information on weights', info.error);
  const { base_model, is_lora, lora_rank, train_attn, train_mlp, train_unembed } = info.data;
  return {
    baseModel: base_model,
    isLora: is_lora,
    loraRank: lora_rank ?? undefined,
    trainAttn: train_attn ?? undefined,
    trainMlp: train_mlp ?? undefined,
    trainUnembed: train_unembed ?? undefined,
  };
}
