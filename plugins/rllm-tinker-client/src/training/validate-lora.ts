import type { EngineProfile } from '../engine/engine-profile.js';
import { TinkerError } from '../errors.js';
import type { LoraConfig } from '../types/lora.js';

export const DEFAULT_RANK = 32;

/** @throws TinkerError INPUT_INVALID */
export function validateLora({ rank = DEFAULT_RANK, seed }: LoraConfig, engine: EngineProfile): void {
  if (!Number.isSafeInteger(rank) || rank < 1) {
    throw new TinkerError('INPUT_INVALID', `The LoRA rank is ${rank}; it must be an integer from 1.`);
  }
  if (engine.powerOfTwoRank && !Number.isInteger(Math.log2(rank))) {
    throw new TinkerError('INPUT_INVALID', `The LoRA rank is ${rank}; ${engine.name} wants a power of two.`);
  }
  if (seed !== undefined && !Number.isSafeInteger(seed)) {
    throw new TinkerError('INPUT_INVALID', `The LoRA seed is ${seed}; it must be an integer.`);
  }
}
