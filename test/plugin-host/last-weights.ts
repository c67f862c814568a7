import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The bytes of the weights in the last checkpoint of a run of the local backend. */
export function lastWeights(run: string): Buffer {
  const checkpoint = readdirSync(join(run, 'checkpoints')).sort().at(-1) ?? '';
  return readFileSync(join(run, 'checkpoints', checkpoint, 'backend/weights.safetensors'));
}
