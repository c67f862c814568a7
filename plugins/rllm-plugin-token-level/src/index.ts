import { definePlugin, type PluginDefinition } from 'rllm-sdk';
import { aStarPo } from './estimators/a-star-po.js';
import { biLevelGae } from './estimators/bi-level-gae.js';
import { distillation } from './estimators/distillation.js';
import { gae } from './estimators/gae.js';
import { klShaped } from './estimators/kl-shaped.js';
import { optimalTokenBaseline } from './estimators/optimal-token-baseline.js';
import { reinforcePlusPlus } from './estimators/reinforce-plus-plus.js';
import { reinforcePlusPlusBaselineTokens } from './estimators/reinforce-plus-plus-baseline-tokens.js';
import { reinforcePlusPlusKl } from './estimators/reinforce-plus-plus-kl.js';
import { remax } from './estimators/remax.js';
import { rlsd } from './estimators/rlsd.js';

export {
  type AStarPoOptions,
  type AStarPoParameters,
  calculateAStarPoAdvantages,
} from './estimators/a-star-po.js';
export {
  type BiLevelGaeOptions,
  type BiLevelGaeParameters,
  calculateBiLevelGaeAdvantages,
} from './estimators/bi-level-gae.js';
export {
  calculateDistillationAdvantages,
  type DistillationOptions,
  type DistillationParameters,
} from './estimators/distillation.js';
export { calculateGaeAdvantages, type GaeOptions, type GaeParameters } from './estimators/gae.js';
export {
  calculateKlShapedAdvantages,
  type KlShapedOptions,
  type KlShapingParameters,
} from './estimators/kl-shaped.js';
export {
  calculateOptimalTokenBaselineAdvantages,
  type OptimalTokenBaselineOptions,
  type TokenBaselineParameters,
} from './estimators/optimal-token-baseline.js';
export {
  calculateReinforcePlusPlusAdvantages,
  type ReinforcePlusPlusOptions,
  type ReturnOptions,
} from './estimators/reinforce-plus-plus.js';
export {
  calculateReinforcePlusPlusBaselineTokenAdvantages,
  type ReinforcePlusPlusBaselineTokensOptions,
  type TokenWhiteningOptions,
} from './estimators/reinforce-plus-plus-baseline-tokens.js';
export { type ReinforcePlusPlusKlOptions, subtractDivergence } from './estimators/reinforce-plus-plus-kl.js';
export { calculateRemaxAdvantages, type RemaxOptions } from './estimators/remax.js';
export { calculateRlsdAdvantages, type RlsdOptions, type RlsdParameters } from './estimators/rlsd.js';
export type { BaseEstimator } from './tokens/base-advantages.js';
export { type DiscountUnit, type StepSpan, spansOf } from './tokens/discount.js';
export { type DivergenceEstimator, divergence } from './tokens/divergence.js';
export type { RewardPlacement } from './tokens/place-rewards.js';
export type { TokenAdvantages, TokenRows } from './tokens/token-table.js';
export {
  aStarPo,
  biLevelGae,
  distillation,
  gae,
  klShaped,
  optimalTokenBaseline,
  reinforcePlusPlus,
  reinforcePlusPlusBaselineTokens,
  reinforcePlusPlusKl,
  remax,
  rlsd,
};

const plugin: PluginDefinition = definePlugin({
  name: 'rllm-plugin-token-level',
  apiVersion: 1,
  estimators: [
    reinforcePlusPlus,
    reinforcePlusPlusKl,
    reinforcePlusPlusBaselineTokens,
    gae,
    remax,
    optimalTokenBaseline,
    klShaped,
    distillation,
    rlsd,
    biLevelGae,
    aStarPo,
  ],
});

export default plugin;
