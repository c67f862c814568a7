import { z } from 'zod';

/** `backend.options.local`: the model that this backend makes from random weights, and how it reads text. */
export interface LocalOptions {
  readonly vocabulary: VocabularyOptions;
  readonly model: ModelOptions;
  /** Adam's step size where `algorithm.learningRate` is null. */
  readonly learningRate: number;
  /** Worker threads. The first samples, the last trains; results do not depend on their number. */
  readonly workers: number;
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
});
