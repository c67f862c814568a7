import type { EstimatorDescriptor } from '../../advantage/index.js';
import type { AlgorithmConfig } from '../../config/index.js';

/** An estimator as it will run: its name and its formula, with the settings that it reads. */
export function estimatorText(
  { name, summary, owner }: EstimatorDescriptor,
  algorithm: AlgorithmConfig,
): string {
  if (name === 'grpo' && owner === 'built-in') {
    const scale = algorithm.normAdvByStdInGrpo ? 'std(ddof=0), eps=1e-6' : 'none';
    return `grpo: center=group, scale=${scale}`;
  }
  return summary === '' ? name : `${name}: ${summary}`;
}
