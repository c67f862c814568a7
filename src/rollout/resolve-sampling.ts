import type { SamplingConfig } from '../config/types.js';
import type { ModelCall, SamplingParams } from './rollout-engine.js';

/** The settings of one model call: what it asks for, and for the rest those of `rollout.train` or `rollout.val`. */
export function resolveSampling(
  defaults: SamplingConfig,
  asked: SamplingParams | undefined,
): ModelCall['sampling'] {
  if (asked === undefined) return defaults;
  return {
    temperature: asked.temperature ?? defaults.temperature,
    topP: asked.topP ?? defaults.topP,
    maxTokens: asked.maxTokens ?? defaults.maxTokens,
    ...(asked.stop === undefined ? {} : { stop: asked.stop }),
    ...(asked.tools === undefined ? {} : { tools: asked.tools }),
  };
}
