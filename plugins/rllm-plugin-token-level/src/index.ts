import { definePlugin, type OptionsGiven, type PluginDefinition } from 'rllm-sdk';
import { type AStarPoOptions, aStarPo } from './estimators/a-star-po.js';
import { type BiLevelGaeOptions, biLevelGae } from './estimators/bi-level-gae.js';
import { type DistillationOptions, distillation } from './estimators/distillation.js';
import { type GaeOptions, gae } from './estimators/gae.js';
import { type GaeKlOptions, gaeKl } from './estimators/gae-kl.js';
import { type KlShapedOptions, klShaped } from './estimators/kl-shaped.js';
import {
  type OptimalTokenBaselineOptions,
  optimalTokenBaseline,
} from './estimators/optimal-token-baseline.js';
import { type ReinforcePlusPlusOptions, reinforcePlusPlus } from './estimators/reinforce-plus-plus.js';
import {
  type ReinforcePlusPlusBaselineTokensOptions,
  reinforcePlusPlusBaselineTokens,
} from './estimators/reinforce-plus-plus-baseline-tokens.js';
import { type ReinforcePlusPlusKlOptions, reinforcePlusPlusKl } from './estimators/reinforce-plus-plus-kl.js';
import { type RemaxOptions, remax } from './estimators/remax.js';
import { type RlsdOptions, rlsd } from './estimators/rlsd.js';

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
export type { GaeKlOptions } from './estimators/gae-kl.js';
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
export type { ReinforcePlusPlusKlOptions } from './estimators/reinforce-plus-plus-kl.js';
export { calculateRemaxAdvantages, type RemaxOptions } from './estimators/remax.js';
export { calculateRlsdAdvantages, type RlsdOptions, type RlsdParameters } from './estimators/rlsd.js';
export type { BaseEstimator } from './tokens/base-advantages.js';
export { type DiscountUnit, type StepSpan, spansOf } from './tokens/discount.js';
export {
  type DivergenceEstimator,
  type DivergenceParameters,
  divergence,
  subtractDivergence,
} from './tokens/divergence.js';
export type { RewardPlacement } from './tokens/place-rewards.js';
export type { TokenAdvantages, TokenRows } from './tokens/token-table.js';
export {
  aStarPo,
  biLevelGae,
  distillation,
  gae,
  gaeKl,
  klShaped,
  optimalTokenBaseline,
  reinforcePlusPlus,
  reinforcePlusPlusBaselineTokens,
  reinforcePlusPlusKl,
  remax,
  rlsd,
};

declare module 'rllm-sdk' {
  interface EstimatorOptionsMap {
    a_star_po: OptionsGiven<AStarPoOptions>;
    bi_level_gae: OptionsGiven<BiLevelGaeOptions>;
    distillation: OptionsGiven<DistillationOptions>;
    gae: OptionsGiven<GaeOptions>;
    gae_kl: OptionsGiven<GaeKlOptions>;
    kl_shaped: OptionsGiven<KlShapedOptions>;
    optimal_token_baseline: OptionsGiven<OptimalTokenBaselineOptions>;
    reinforce_plus_plus: OptionsGiven<ReinforcePlusPlusOptions>;
    reinforce_plus_plus_baseline_tokens: OptionsGiven<ReinforcePlusPlusBaselineTokensOptions>;
    reinforce_plus_plus_kl: OptionsGiven<ReinforcePlusPlusKlOptions>;
    remax: OptionsGiven<RemaxOptions>;
    rlsd: OptionsGiven<RlsdOptions>;
  }
}

const plugin: PluginDefinition = definePlugin({
  name: 'rllm-plugin-token-level',
  apiVersion: 1,
  estimators: [
    reinforcePlusPlus,
    reinforcePlusPlusKl,
    reinforcePlusPlusBaselineTokens,
    gae,
    gaeKl,
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
