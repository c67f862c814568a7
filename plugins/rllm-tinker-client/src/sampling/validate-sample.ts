import type { EngineProfile } from '../engine/engine-profile.js';
import { TinkerError } from '../errors.js';
import type { SampleRequest, SamplingParams } from '../types/sampling.js';
import type { Tokens } from '../types/tokens.js';
import { validateTokens } from '../validate-tokens.js';

/** @throws TinkerError INPUT_INVALID or UNSUPPORTED for what an engine would refuse late or ignore. */
export function validateSample(
  prompt: Tokens,
  request: SampleRequest,
  engine: EngineProfile,
  vocabSize: number | undefined,
): void {
  validateTokens(prompt, 'the prompt', vocabSize);
  const { params, numSamples = 1, topkPromptLogprobs = 0 } = request;
  natural('numSamples', numSamples, 1);
  natural('topkPromptLogprobs', topkPromptLogprobs, 0);
  if (topkPromptLogprobs > 0 && !engine.topkPromptLogprobs) {
    throw new TinkerError('UNSUPPORTED', `The engine ${engine.name} has no topkPromptLogprobs.`);
  }
  validateParams(params, vocabSize);
}

function validateParams(params: SamplingParams, vocabSize: number | undefined): void {
  natural('maxTokens', params.maxTokens, 1);
  const { temperature = 1, topP = 1, topK = -1, seed, stop } = params;
  if (!(temperature >= 0 && temperature < Number.POSITIVE_INFINITY))
    refuse('temperature', temperature, 'a number from 0');
  if (!(topP > 0 && topP <= 1)) refuse('topP', topP, 'above 0 and at most 1');
  if (topK !== -1) natural('topK', topK, 1);
  if (seed !== undefined && !Number.isSafeInteger(seed)) refuse('seed', seed, 'an integer');
  if (stop !== undefined) validateStop(stop, vocabSize);
}

function validateStop(stop: unknown, vocabSize: number | undefined): void {
  if (!Array.isArray(stop)) refuse('stop', stop, 'a list of token ids or of texts');
  const list: readonly unknown[] = stop;
  if (list.every((one) => typeof one === 'string' && one !== '')) return;
  if (!list.every((one) => typeof one === 'number')) refuse('stop', stop, 'all token ids or all texts');
  validateTokens(list, 'stop', vocabSize);
}

function natural(name: string, value: number, least: number): void {
  if (!Number.isSafeInteger(value) || value < least) refuse(name, value, `an integer from ${least}`);
}

function refuse(name: string, value: unknown, expected: string): never {
  throw new TinkerError('INPUT_INVALID', `${name} is ${JSON.stringify(value)}; it must be ${expected}.`);
}
