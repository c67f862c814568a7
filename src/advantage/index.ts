export { AdvEstimator, type AdvEstimatorDecorator, type AdvEstimatorOptions } from './adv-estimator.js';
export {
  builtInEstimators,
  calculateGrpoAdvantages,
  calculateGrpoAdvantagesPerGroup,
  calculateReinforceAdvantages,
  calculateReinforcePlusPlusBaselineAdvantages,
  calculateRlooAdvantages,
  calculateRlooAdvantagesPerGroup,
  type GrpoOptions,
  type ReinforcePlusPlusBaselineOptions,
} from './built-in/index.js';
export {
  type Collection,
  type CollectOptions,
  collectRewardsAndAdvantages,
  estimatorOf,
} from './collect-rewards-and-advantages.js';
export type {
  AdvantageBatch,
  AdvantageEstimates,
  AdvantageEstimator,
  EstimateFunction,
  EstimatorClass,
  Requirement,
} from './estimator.js';
export { type EstimatorDescriptor, EstimatorRegistry } from './estimator-registry.js';
export type { GroupAdvantages, SingleGroupAdvantages } from './group-rewards.js';
export { type Selection, selectTrainable } from './select-trainable.js';
