import { resolve } from 'node:path';
import { type Logger, type RllmConfig, RllmError, type SettingFault } from 'rllm-sdk';
import { type ServiceClient, TinkerError } from 'rllm-tinker-client';
import {
  addressOf,
  assertEngineCan,
  assertModelIsServed,
  compareLogprobs,
  disagreement,
  modelLimits,
  sampleTokens,
  serviceOf,
  type TinkerOptions,
} from '../backend/index.js';
import { Renderer } from '../renderer/index.js';

/** What became of one check. */
export interface CheckResult {
  readonly name: string;
  readonly status: 'passed' | 'failed' | 'not tried';
  /** What was found, or what is wrong. */
  readonly detail: string;
  /** What to do; only where it failed. */
  readonly fix?: string;
}

export interface CheckContext {
  readonly options: TinkerOptions;
  readonly config: RllmConfig;
  readonly baseDirectory: string;
  readonly logger: Logger;
  readonly signal: AbortSignal;
}

const NAMES = ['tokenizer', 'URL', 'key', 'settings', 'model', 'token ids', 'log-probs'] as const;
/** A person waits: an engine that does not answer soon does not answer. */
const RETRY_MS = 3_000;

type CheckName = (typeof NAMES)[number];

/**
 * Tries on the engine what a run needs of it, in the order in which a run does. The first check that fails ends it: what comes after
 * needs what failed. A model is created for it and given back.
 *
 * @param done  told of each result as soon as it is there.
 */
export async function checkEngine(
  { options, config, baseDirectory, logger, signal }: CheckContext,
  done: (result: CheckResult) => void,
): Promise<void> {
  const left = new Set<CheckName>(NAMES);
  const settle = (name: CheckName, result: Omit<CheckResult, 'name'>): void => {
    left.delete(name);
    done({ name, ...result });
  };
  const passed = (name: CheckName, detail: string): void => settle(name, { status: 'passed', detail });
  let at: CheckName = 'tokenizer';
  let service: ServiceClient | undefined;
  const close = (): void => void service?.close();
  try {
    signal.addEventListener('abort', close, { once: true });
    const renderer = await Renderer.open(
      resolve(baseDirectory, options.tokenizer),
      options.templateVariables,
    );
    const stops = renderer.stopIds.map((id) => renderer.decode(id)).join(' ');
    passed('tokenizer', `${renderer.folder.path}; a turn ends at ${stops || 'no token'}`);
    at = 'URL';
    service = serviceOf(options, logger, { retryMs: RETRY_MS });
    const engine = await service.connect();
    passed('URL', `${addressOf(options)} is reached; the engine is "${engine.name}"`);
    passed('key', engine.keyPrefixes === undefined ? 'this engine asks for none' : 'accepted');
    at = 'settings';
    assertEngineCan(config, options, engine);
    passed('settings', 'the engine can do what the config asks');
    at = 'model';
    const offered = await service.capabilities();
    assertModelIsServed(options, offered);
    const { maxLength } = modelLimits(options, offered, renderer.folder);
    const training = await service.createTrainingClient({ baseModel: options.model, lora: loraOf(options) });
    passed('model', `${options.model}, LoRA rank ${options.lora.rank}, up to ${maxLength} tokens`);
    at = 'token ids';
    const prompt = renderer.promptOf([{ role: 'user', content: 'Hello' }]);
    const sampled = await sampleTokens(await training.saveWeightsAndGetSamplingClient(), prompt);
    passed('token ids', `${prompt.length} sent, ${sampled.tokens.length} sampled, each with its log-prob`);
    at = 'log-probs';
    const agreement = await compareLogprobs(training, sampled);
    const fault = disagreement(agreement, options.selfCheckTolerance);
    if (fault !== undefined) throw new RllmError('BACKEND_FAILED', fault);
    passed('log-probs', `sampling and training agree within ${agreement.difference.toExponential(1)} nats`);
    await training.unload();
  } catch (thrown) {
    const name = at === 'URL' && isAboutKey(thrown) ? 'key' : at;
    settle(name, { status: 'failed', ...faultOf(thrown, options) });
  } finally {
    signal.removeEventListener('abort', close);
    await service?.close();
  }
  for (const name of left) settle(name, { status: 'not tried', detail: 'a check before it failed' });
}

function loraOf({ lora: { seed, ...shape } }: TinkerOptions): {
  readonly rank: number;
  readonly seed: number;
} {
  return { ...shape, seed: seed ?? 0 };
}

function isAboutKey(thrown: unknown): boolean {
  return TinkerError.isInstance(thrown) && /^KEY_|^UNAUTHORIZED$/.test(thrown.code);
}

function faultOf(thrown: unknown, options: TinkerOptions): { readonly detail: string; readonly fix: string } {
  if (TinkerError.isInstance(thrown)) {
    const isKey = thrown.code === 'KEY_MISSING';
    return {
      detail: thrown.message,
      fix: isKey ? `Set the environment variable ${options.apiKeyEnv}.` : thrown.fix,
    };
  }
  if (RllmError.isInstance(thrown)) {
    const faults = (thrown.details['faults'] ?? []) as readonly SettingFault[];
    const cures = faults.flatMap(({ path, expected }) =>
      expected === undefined ? [] : [`Set ${path} to ${expected}.`],
    );
    return { detail: thrown.message, fix: cures.length === 0 ? thrown.fix : cures.join(' ') };
  }
  return { detail: thrown instanceof Error ? thrown.message : String(thrown), fix: 'See the message.' };
}
