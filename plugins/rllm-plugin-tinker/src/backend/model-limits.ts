import { RllmError } from 'rllm-sdk';
import type { Capabilities } from 'rllm-tinker-client';
import type { ModelFolder } from '../renderer/index.js';
import type { LengthLimits } from './tinker-engine.js';
import type { TinkerOptions } from './tinker-options.js';

/** Where neither the engine nor the folder says how long a sequence may be; rLLM's default. */
const DEFAULT_MAX_LENGTH = 32_768;

/** What the model can take in. */
export interface ModelLimits extends LengthLimits {
  /** Undefined where nobody says how many tokens there are. */
  readonly vocabSize: number | undefined;
}

/** The limits by the options, else by the engine, else by the folder's `config.json`. */
export function modelLimits(
  options: TinkerOptions,
  { models }: Capabilities,
  { modelConfig }: ModelFolder,
): ModelLimits {
  const known = models.find(({ name }) => name === options.model);
  const maxLength =
    options.maxLength ??
    known?.maxContextLength ??
    positive(modelConfig['max_position_embeddings']) ??
    DEFAULT_MAX_LENGTH;
  return {
    maxLength,
    maxPromptTokens: options.maxPromptTokens ?? maxLength,
    vocabSize: options.vocabSize ?? positive(modelConfig['vocab_size']),
  };
}

/**
 * tx trains its own base model whatever name it is given, so that a wrong name would go unnoticed.
 *
 * @throws RllmError CONFIG_INVALID when the engine lists its models and this is none of them.
 */
export function assertModelIsServed({ model }: TinkerOptions, { models }: Capabilities): void {
  const names = models.flatMap(({ name }) => name ?? []);
  if (names.length === 0 || names.includes(model)) return;
  const fault = {
    path: 'backend.options.tinker.model',
    message: `the engine does not serve "${model}"`,
    expected: names.map((name) => JSON.stringify(name)).join(' | '),
  };
  throw new RllmError('CONFIG_INVALID', `${fault.path}: ${fault.message}. Expected ${fault.expected}.`, {
    details: { faults: [fault] },
  });
}

function positive(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isInteger(value) && value > 0 ? value : undefined;
}
