export { AdvEstimator, type AdvEstimatorDecorator, type AdvEstimatorOptions } from './adv-estimator.js';
export {
  builtInEstimators,
  calculateGrpoAdvantages,
  calculateGrpoAdvantagesPerGroup,
  calculatePrpoAdvantages,
  calculateReinforceAdvantages,
  calculateReinforcePlusPlusBaselineAdvantages,
  calculateRlooAdvantages,
  calculateRlooAdvantagesPerGroup,
  type GrpoOptions,
  type PrpoOptions,
  type ReinforcePlusPlusBaselineOptions,
} from './built-in/index.js';
export {
  type Collection,
  type CollectOptions,
  collectRewardsAndAdvantages,
  type EstimatorSource,
  estimatorOf,
} from './collect-rewards-and-advantages.js';
export type {
  AdvantageBatch,
  AdvantageEstimates,
  AdvantageEstimator,
  EstimateFunction,
  EstimatorClass,
  EstimatorPlan,
  Requirement,
} from './estimator.js';
export { isMet } from './estimator-input.js';
export { type EstimatorDescriptor, EstimatorRegistry } from './estimator-registry.js';
export type { GroupAdvantages, SingleGroupAdvantages } from './group-rewards.js';
export { type StepSize, stepSizeOf } from './plan-of-run.js';
export { componentsOf, type RewardComponents } from './reward-components.js';
export { type Selection, selectTrainable } from './select-trainable.js';
export { klOf } from './shape-rewards.js';
