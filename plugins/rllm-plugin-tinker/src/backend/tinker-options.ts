import type { OptionsGiven } from 'rllm-sdk';
import { z } from 'zod';

declare module 'rllm-sdk' {
  interface BackendOptionsMap {
    tinker: OptionsGiven<TinkerOptions>;
  }
}

/** `backend.options.tinker`: which engine trains which model, and how text becomes tokens. */
export interface TinkerOptions {
  /** Address of the engine; `null` takes the environment variable TINKER_BASE_URL, else the hosted service. */
  readonly baseUrl: string | null;
  /** Environment variable that holds the key. The hosted service wants one, tx none. */
  readonly apiKeyEnv: string;
  /** What answers at the address; `auto` finds out. `tx` is SkyRL's server of `skyrl` 0.4, `tx-0.3` the older `skyrl-tx`. */
  readonly engine: 'auto' | 'hosted' | 'tx' | 'tx-0.3';
  /** How numbers travel; `auto` takes what suits the engine. */
  readonly wire: 'auto' | 'json' | 'protobuf';
  /** The base model as the engine names it, such as `Qwen/Qwen3-8B`; for tx its `--base-model`. */
  readonly model: string;
  /** Folder with the model's `tokenizer.json`, `tokenizer_config.json` and chat template, relative to the config file. */
  readonly tokenizer: string;
  /** Handed to the chat template, such as `{ "enable_thinking": false }`. */
  readonly templateVariables: Readonly<Record<string, unknown>>;
  /** Token ids from here on are refused; `null` takes `vocab_size` of the folder's `config.json`, if it has one. */
  readonly vocabSize: number | null;
  /** The adapter that is trained. */
  readonly lora: LoraOptions;
  /** Adam's step size where `algorithm.learningRate` is null. */
  readonly learningRate: number;
  /** Most tokens of prompt and completion together; `null` takes what the engine says of the model, else the folder's `config.json`, else 32768. */
  readonly maxLength: number | null;
  /** Most tokens of a prompt; longer ones end their rollout. `null` leaves it to `maxLength`. */
  readonly maxPromptTokens: number | null;
  /** Model calls at the engine at the same time; `null` takes what suits the engine. */
  readonly samplingConcurrency: number | null;
  /** Whether sampling and training give the same log-probs is tried at start: a difference stops the run, or is warned about, or nothing is tried. */
  readonly selfCheck: 'fail' | 'warn' | 'off';
  /** Largest difference of a log-prob that passes, in nats. */
  readonly selfCheckTolerance: number;
}

/** Read when the model is created. */
export interface LoraOptions {
  /** The hosted service wants a power of two. */
  readonly rank: number;
  /** Start values; `null` takes `trainer.seed`. */
  readonly seed: number | null;
  readonly trainAttn: boolean;
  readonly trainMlp: boolean;
  /** Not done by tx, which ignores all three. */
  readonly trainUnembed: boolean;
}

const count = z.int().positive();

const lora = z.strictObject({
  rank: count.default(32),
  seed: z.int().nonnegative().nullable().default(null),
  trainAttn: z.boolean().default(true),
  trainMlp: z.boolean().default(true),
  trainUnembed: z.boolean().default(true),
});

export const tinkerOptionsSchema: z.ZodType<TinkerOptions> = z.strictObject({
  baseUrl: z
    .url({ protocol: /^https?$/ })
    .nullable()
    .default(null),
  apiKeyEnv: z.string().min(1).default('TINKER_API_KEY'),
  engine: z.enum(['auto', 'hosted', 'tx', 'tx-0.3']).default('auto'),
  wire: z.enum(['auto', 'json', 'protobuf']).default('auto'),
  model: z.string().min(1),
  tokenizer: z.string().min(1),
  templateVariables: z.record(z.string(), z.unknown()).default({}),
  vocabSize: count.nullable().default(null),
  lora: lora.prefault({}),
  learningRate: z.number().positive().default(2e-5),
  maxLength: z.int().min(2).nullable().default(null),
  maxPromptTokens: count.nullable().default(null),
  samplingConcurrency: count.nullable().default(null),
  selfCheck: z.enum(['fail', 'warn', 'off']).default('warn'),
  selfCheckTolerance: z.number().positive().default(1e-3),
});
