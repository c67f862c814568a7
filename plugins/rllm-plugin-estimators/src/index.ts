import { definePlugin, type PluginDefinition } from 'rllm-sdk';
import { drGrpo } from './dr-grpo.js';
import { entropic } from './entropic.js';
import { entropicAdaptiveBeta } from './entropic-adaptive-beta.js';
import { gdpo } from './gdpo.js';
import { gpg } from './gpg.js';
import { grpoPassk } from './grpo-passk.js';
import { grpoScaled } from './grpo-scaled.js';
import { hierarchicalGrpo } from './hierarchical-grpo.js';
import { maxRl } from './max-rl.js';
import { meanStdLevel } from './mean-std-level.js';
import { opo } from './opo.js';
import { Rae } from './rae.js';
import { rlooNormalized } from './rloo-normalized.js';

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
