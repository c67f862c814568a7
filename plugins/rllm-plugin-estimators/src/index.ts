import { definePlugin, type NoOptions, type OptionsGiven, type PluginDefinition } from 'rllm-sdk';
import { drGrpo } from './dr-grpo.js';
import { type EntropicOptions, entropic } from './entropic.js';
import { type EntropicAdaptiveBetaOptions, entropicAdaptiveBeta } from './entropic-adaptive-beta.js';
import { type GdpoOptions, gdpo } from './gdpo.js';
import { type GpgOptions, gpg } from './gpg.js';
import { type GrpoPasskOptions, grpoPassk } from './grpo-passk.js';
import { type GrpoScaledOptions, grpoScaled } from './grpo-scaled.js';
import { type HierarchicalGrpoOptions, hierarchicalGrpo } from './hierarchical-grpo.js';
import { maxRl } from './max-rl.js';
import { type MeanStdLevelOptions, meanStdLevel } from './mean-std-level.js';
import { opo } from './opo.js';
import { Rae, type RaeOptions } from './rae.js';
import { type RlooNormalizedOptions, rlooNormalized } from './rloo-normalized.js';

export { calculateDrGrpoAdvantages } from './dr-grpo.js';
export { calculateEntropicAdvantages, type EntropicOptions } from './entropic.js';
export {
  calculateEntropicAdaptiveBetaAdvantages,
  type EntropicAdaptiveBetaOptions,
} from './entropic-adaptive-beta.js';
export { calculateGdpoAdvantages, type GdpoOptions } from './gdpo.js';
export { calculateGpgAdvantages, type GpgOptions } from './gpg.js';
export { calculateGrpoPasskAdvantages, type GrpoPasskOptions } from './grpo-passk.js';
export { calculateGrpoScaledAdvantages, type GrpoScaledOptions } from './grpo-scaled.js';
export { calculateHierarchicalGrpoAdvantages, type HierarchicalGrpoOptions } from './hierarchical-grpo.js';
export { calculateMaxRlAdvantages } from './max-rl.js';
export { calculateMeanStdLevelAdvantages, type MeanStdLevelOptions } from './mean-std-level.js';
export { calculateOpoAdvantages } from './opo.js';
export { calculateRaeAdvantages, type RaeOptions } from './rae.js';
export { calculateRlooNormalizedAdvantages, type RlooNormalizedOptions } from './rloo-normalized.js';
export { Rae };

declare module 'rllm-sdk' {
  interface EstimatorOptionsMap {
    dr_grpo: NoOptions;
    grpo_scaled: OptionsGiven<GrpoScaledOptions>;
    opo: NoOptions;
    gpg: OptionsGiven<GpgOptions>;
    maxrl: NoOptions;
    grpo_passk: OptionsGiven<GrpoPasskOptions>;
    gdpo: OptionsGiven<GdpoOptions>;
    entropic: OptionsGiven<EntropicOptions>;
    entropic_adaptive_beta: OptionsGiven<EntropicAdaptiveBetaOptions>;
    rloo_normalized: OptionsGiven<RlooNormalizedOptions>;
    rae: OptionsGiven<RaeOptions>;
    hierarchical_grpo: OptionsGiven<HierarchicalGrpoOptions>;
    mean_std_level: OptionsGiven<MeanStdLevelOptions>;
  }
}

const plugin: PluginDefinition = definePlugin({
  name: 'rllm-plugin-estimators',
  apiVersion: 1,
  estimators: [
    drGrpo,
    grpoScaled,
    opo,
    gpg,
    maxRl,
    grpoPassk,
    gdpo,
    entropic,
    entropicAdaptiveBeta,
    rlooNormalized,
    Rae,
    hierarchicalGrpo,
    meanStdLevel,
  ],
});

export default plugin;
