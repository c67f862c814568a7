import type { LocalOptions } from './local-options.js';

/** Sizes of the transformer; everything about its tensors follows from them. */
export interface ModelShape {
  readonly vocabularySize: number;
  readonly dModel: number;
  readonly nLayers: number;
  readonly nHeads: number;
  readonly dFf: number;
  readonly contextLength: number;
  /** It has a critic beside its policy. Absent means no, so that shapes without one stay what they were. */
  readonly valueHead?: true;
}

/** A tensor's place in the flat parameter vector. */
export interface Parameter {
  readonly name: string;
  readonly shape: readonly number[];
  /** In floats. */
  readonly offset: number;
  readonly size: number;
  /** Standard deviation of the initial values; `null` starts at 1 (a norm's gain). */
  readonly initialStd: number | null;
}

export const TOKEN_EMBEDDING = 'token_embedding';
export const POSITION_EMBEDDING = 'position_embedding';
export const VALUE_HEAD = 'value_head';

export function modelShape(options: LocalOptions, hasValueHead: boolean): ModelShape {
  const { model } = options;
  return {
    vocabularySize: options.vocabulary.words.length,
    dModel: model.dModel,
    nLayers: model.nLayers,
    nHeads: model.nHeads,
    dFf: model.dFf ?? 4 * model.dModel,
    contextLength: model.contextLength,
    ...(hasValueHead ? { valueHead: true } : {}),
  };
}

/**
 * The tensors in the order of the flat vector. Matrices act from the right, `x·W`: shape [in, out].
 *
 * Initial scale: 0.02 for embeddings and head, so that the first policy is near uniform; 1/√fan-in inside, and by 1/√(2·layers)
 * less for what is added to the residual stream, as in GPT-2. The value head comes last: without it the rest stands where it stands with it.
 */
export function modelParameters(shape: ModelShape): readonly Parameter[] {
  const { vocabularySize: V, dModel: D, nLayers, dFf: F, contextLength } = shape;
  const residual = 1 / Math.sqrt(2 * nLayers);
  const parameters: Parameter[] = [];
  let offset = 0;
  const add = (name: string, dims: readonly number[], initialStd: number | null): void => {
    const size = dims.reduce((a, b) => a * b, 1);
    parameters.push({ name, shape: dims, offset, size, initialStd });
    offset += size;
  };
  add(TOKEN_EMBEDDING, [V, D], 0.02);
  add(POSITION_EMBEDDING, [contextLength, D], 0.02);
  for (let layer = 0; layer < nLayers; layer++) {
    add(`blocks.${layer}.attention_norm`, [D], null);
    add(`blocks.${layer}.qkv`, [D, 3 * D], 1 / Math.sqrt(D));
    add(`blocks.${layer}.attention_out`, [D, D], residual / Math.sqrt(D));
    add(`blocks.${layer}.feed_forward_norm`, [D], null);
    add(`blocks.${layer}.feed_forward_in`, [D, F], 1 / Math.sqrt(D));
    add(`blocks.${layer}.feed_forward_out`, [F, D], residual / Math.sqrt(F));
  }
  add('final_norm', [D], null);
  add('head', [D, V], 0.02);
  if (shape.valueHead) add(VALUE_HEAD, [D, 1], 0.02);
  return parameters;
}

/** Length of the flat parameter vector. */
export function parameterCount(shape: ModelShape): number {
  return modelParameters(shape).reduce((sum, { size }) => sum + size, 0);
}

/** The shape without a critic, whose parameters are the first of those with one. */
export function policyShape({ valueHead: _, ...shape }: ModelShape): ModelShape {
  return shape;
}
