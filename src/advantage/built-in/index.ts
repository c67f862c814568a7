import type { EstimateFunction } from '../estimator.js';
import { grpo } from './grpo.js';
import { prpo } from './prpo.js';
import { reinforce } from './reinforce.js';
import { reinforcePlusPlusBaseline } from './reinforce-plus-plus-baseline.js';
import { rloo } from './rloo.js';

export { calculateGrpoAdvantages, calculateGrpoAdvantagesPerGroup, type GrpoOptions, grpo } from './grpo.js';
export { calculatePrpoAdvantages, type PrpoOptions, prpo } from './prpo.js';
export { calculateReinforceAdvantages, reinforce } from './reinforce.js';
export {
  calculateReinforcePlusPlusBaselineAdvantages,
  type ReinforcePlusPlusBaselineOptions,
  reinforcePlusPlusBaseline,
} from './reinforce-plus-plus-baseline.js';
export { calculateRlooAdvantages, calculateRlooAdvantagesPerGroup, rloo } from './rloo.js';

/** The estimators of the SDK, marked with their names as a plugin's are. */
export const builtInEstimators: readonly EstimateFunction[] = [
  grpo,
  prpo,
  reinforce,
  reinforcePlusPlusBaseline,
  rloo,
];
