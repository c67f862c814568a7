import { type ModelShape, modelParameters, POSITION_EMBEDDING, TOKEN_EMBEDDING } from './model-shape.js';

/** Token and position embeddings in the flat parameter vector: looked up, and their gradient scattered, in plain code. */
export interface Embedding {
  /** Writes token + position embedding of each entry to `out`, [n·D]; zeros where the token is −1. */
  lookUp(weights: Float32Array, tokens: Int32Array, positions: Int32Array, out: Float32Array): void;
  /** Adds the gradient of each entry, [n·D], to those of its token and position. */
  addGradient(
    entryGradients: ArrayLike<number>,
    tokens: Int32Array,
    positions: Int32Array,
    gradient: Float32Array,
  ): void;
}

export function createEmbedding(shape: ModelShape): Embedding {
  const D = shape.dModel;
  const offsets = new Map(modelParameters(shape).map(({ name, offset }) => [name, offset]));
  const tokenBase = offsets.get(TOKEN_EMBEDDING) ?? 0;
  const positionBase = offsets.get(POSITION_EMBEDDING) ?? 0;
  return {
    lookUp(weights, tokens, positions, out) {
      for (let i = 0; i < tokens.length; i++) {
        const token = tokens[i] as number;
        if (token < 0) {
          out.fill(0, i * D, (i + 1) * D);
          continue;
        }
        const t = tokenBase + token * D;
        const p = positionBase + (positions[i] as number) * D;
        for (let d = 0; d < D; d++) out[i * D + d] = (weights[t + d] as number) + (weights[p + d] as number);
      }
    },
    addGradient(entryGradients, tokens, positions, gradient) {
      for (let i = 0; i < tokens.length; i++) {
        const token = tokens[i] as number;
        if (token < 0) continue;
        const t = tokenBase + token * D;
        const p = positionBase + (positions[i] as number) * D;
        for (let d = 0; d < D; d++) {
          const g = entryGradients[i * D + d] as number;
          gradient[t + d] = (gradient[t + d] as number) + g;
          gradient[p + d] = (gradient[p + d] as number) + g;
        }
      }
    },
  };
}
