import type { EngineProfile } from '../engine/engine-profile.js';
import { TinkerError } from '../errors.js';
import type { AdamParams } from '../types/adam-params.js';

type Row = readonly [name: string, value: number, holds: boolean, expected: string];

/** @throws TinkerError INPUT_INVALID or UNSUPPORTED */
export function validateAdam(adam: AdamParams, engine: EngineProfile): void {
  const { learningRate, beta1 = 0.9, beta2 = 0.95, eps = 1e-12, weightDecay = 0, gradClipNorm = 0 } = adam;
  const rows: readonly Row[] = [
    ['learningRate', learningRate, learningRate >= 0, 'a number from 0'],
    ['beta1', beta1, beta1 >= 0 && beta1 < 1, 'from 0 and below 1'],
    ['beta2', beta2, beta2 >= 0 && beta2 < 1, 'from 0 and below 1'],
    ['eps', eps, eps > 0, 'above 0'],
    ['weightDecay', weightDecay, weightDecay >= 0, 'a number from 0'],
    ['gradClipNorm', gradClipNorm, gradClipNorm >= 0, 'a number from 0'],
  ];
  for (const [name, value, holds, expected] of rows) {
    if (holds && Number.isFinite(value)) continue;
    throw new TinkerError('INPUT_INVALID', `${name} is ${value}; it must be ${expected}.`);
  }
  if (gradClipNorm > 0 && !engine.gradClipping) {
    throw new TinkerError('UNSUPPORTED', `The engine ${engine.name} ignores gradClipNorm; it must be 0.`);
  }
}
