import type { AlgorithmConfig } from '../config/types.js';
import { shuffled, stream } from '../random.js';

/**
 * What each optimiser step of a batch trains on, in order: `updateEpochs` passes, each over all trajectories in `miniBatches` parts. With
 * more than one part the trajectories are dealt anew in each pass, by the seed. The last part may be smaller, or missing.
 */
export function miniBatches<T>(
  trajectories: readonly T[],
  { miniBatches: parts, updateEpochs }: AlgorithmConfig,
  seed: number,
  step: number,
): readonly (readonly T[])[] {
  const epochs = Array.from({ length: updateEpochs }, (_, epoch) => epoch);
  if (parts === 1) return epochs.map(() => trajectories);
  return epochs.flatMap((epoch) => {
    const order = shuffled(trajectories, stream(seed, 'mini-batches', step, epoch));
    const size = Math.ceil(order.length / parts);
    const starts = Array.from({ length: parts }, (_, i) => i * size);
    return starts.map((at) => order.slice(at, at + size)).filter(({ length }) => length > 0);
  });
}
