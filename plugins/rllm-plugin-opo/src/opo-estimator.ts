import { type AdvantageBatch, type AdvantageEstimates, AdvEstimator, type Trajectory } from 'rllm-sdk';
import { calculateOpoAdvantages } from './opo.js';

/** The estimator `opo`. It has no settings and keeps no state. */
@AdvEstimator('opo', {
  summary: 'r − Σ(length · r) / Σ length within the group: the length-weighted mean as baseline, no std',
  paper: 'https://arxiv.org/abs/2505.23585',
  scope: 'group',
  requires: ['lengths'],
})
export class Opo {
  estimate({ rewards, groups }: AdvantageBatch): AdvantageEstimates {
    const lengths = groups.map(({ trajectories }) => trajectories.map(sampledTokens));
    return { advantages: calculateOpoAdvantages(rewards, lengths) };
  }
}

/** Tokens that the model chose, over all steps. What it was told between them is in prompts, and does not count. */
function sampledTokens({ steps }: Trajectory): number {
  return steps.reduce((total, { responseIds }) => total + responseIds.length, 0);
}
