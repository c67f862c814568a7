import { stream } from '../../random.js';
import { type ModelShape, modelParameters } from './model-shape.js';

/** Fills the flat parameter vector with the random weights of a seed. Each tensor has its own stream of numbers. */
export function initializeWeights(shape: ModelShape, seed: number, weights: Float32Array): void {
  for (const { name, offset, size, initialStd } of modelParameters(shape)) {
    if (initialStd === null) {
      weights.fill(1, offset, offset + size);
      continue;
    }
    const random = stream(seed, 'weights', name);
    for (let i = offset; i < offset + size; i++) weights[i] = initialStd * random.normal();
  }
}
