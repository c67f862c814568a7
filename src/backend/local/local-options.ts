import { z } from 'zod';
import type { CriticSettings } from './critic.js';

declare module '../../config/names.js' {
  interface BackendOptionsMap {
    local: OptionsGiven<LocalOptions>;
  }
}

/** `backend.options.local`: the model that this backend makes from random weights, and how it reads text. */
export interface LocalOptions {
  readonly vocabulary: VocabularyOptions;
  readonly model: ModelOptions;
  /** Adam's step size where `algorithm.learningRate` is null. */
  readonly learningRate: number;
  /** Worker threads. The first samples, the last trains; results do not depend on their number. */
  readonly workers: number;
  /** Trains a value head beside the policy. `null`: only if an estimator needs values, as `DEFAULT_CRITIC` says. */
  readonly critic: CriticOptions | null;
  /**
   * The frozen policy whose log-probs go to `step.referenceLogprobs`: the weights at the start of training, or those of a checkpoint. `null`: only
   * if an estimator or policy needs them, then `initial`.
   */
  readonly reference: 'initial' | CheckpointSource | null;
  /** Whose log-probs go to `step.teacherLogprobs`; `workflow` where the workflow has set them itself. */
  readonly teacher: CheckpointSource | 'workflow' | null;
}

/** A policy of this backend with the same words, of whatever size. */
export interface CheckpointSource {
  /** Folder of a checkpoint, relative to the config file. */
  readonly checkpoint: string;
}

/** How the value head is trained. Read by the update. */
export interface CriticOptions extends CriticSettings {
  /** Adam's step size for the value head alone; `null` takes that of the model. */
  readonly learningRate: number | null;
}

/** The words that the model knows, and what stands between messages. Read by the vocabulary and the renderer. */
export interface VocabularyOptions {
  /** Every token, the special ones included; the position is the token's id. */
  readonly words: readonly string[];
  /** Word that every prompt begins with. */
  readonly bos: string;
  /** Between words: a space, or nothing for a vocabulary of single characters. */
  readonly separator: ' ' | '';
  /** Word before a message of a role, and before the model's reply. */
  readonly roles: { readonly [role in 'system' | 'user' | 'assistant' | 'tool']?: string | undefined };
  /** Word after every message; the model ends its reply by it. */
  readonly endOfTurn: string | null;
}

/** A decoder-only transformer. Read by the model. */
export interface ModelOptions {
  /** Width of the residual stream. */
  readonly dModel: number;
  readonly nLayers: number;
  /** Attention heads; they share `dModel` evenly. */
  readonly nHeads: number;
  /** Width of the feed-forward layer; `null` takes four times `dModel`. */
  readonly dFf: number | null;
  /** Tokens of prompt and completion together. */
  readonly contextLength: number;
}

const criticSchema = z.strictObject({
  coefficient: z.number().positive().default(0.5),
  detach: z.boolean().default(false),
  clip: z.number().positive().nullable().default(null),
  learningRate: z.number().positive().nullable().default(null),
});

/** The critic of a run that needs one and says nothing of it. */
export const DEFAULT_CRITIC: CriticOptions = criticSchema.parse({});

const source: z.ZodType<CheckpointSource> = z.strictObject({ checkpoint: z.string().min(1) });

const size = (fallback: number): z.ZodDefault<z.ZodInt> => z.int().positive().default(fallback);

export const localOptionsSchema: z.ZodType<LocalOptions> = z.strictObject({
  vocabulary: z.strictObject({
    words: z.array(z.string().min(1)).min(2),
    bos: z.string().min(1),
    separator: z.enum([' ', '']).default(' '),
    roles: z
      .strictObject({
        system: z.string().min(1).optional(),
        user: z.string().min(1).optional(),
        assistant: z.string().min(1).optional(),
        tool: z.string().min(1).optional(),
      })
      .prefault({}),
    endOfTurn: z.string().min(1).nullable().default(null),
  }),
  model: z
    .strictObject({
      dModel: size(32),
      nLayers: size(1),
      nHeads: size(4),
      dFf: z.int().positive().nullable().default(null),
      contextLength: z.int().min(2).default(64),
    })
    .prefault({}),
  learningRate: z.number().positive().default(1e-3),
  workers: z.int().min(1).max(4).default(2),
  critic: criticSchema.nullable().default(null),
  reference: z
    .union([z.literal('initial'), source])
    .nullable()
    .default(null),
  teacher: z
    .union([z.literal('workflow'), source])
    .nullable()
    .default(null),
});
