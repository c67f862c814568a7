import { definePlugin, type OptionsGiven, type PluginDefinition } from 'rllm-sdk';
import { clusterMetrics } from './cluster-metrics.js';
import { Gigpo, type GigpoEstimatorOptions } from './gigpo.js';
import { type ByMetadataOptions, byMetadata } from './grouping/by-metadata.js';
import { byStep } from './grouping/by-step.js';
import { type HierarchicalOptions, hierarchical } from './grouping/hierarchical.js';
import { PerStep } from './per-step.js';
import { PerStepDiscounted } from './per-step-discounted.js';
import { type AnchorEstimatorOptions, StepReinforce } from './step-reinforce.js';
import type { StepValueOptions } from './step-value.js';

export { canonicalText } from './canonical-text.js';
export { calculateGigpoAdvantages, type GigpoOptions } from './gigpo.js';
export { calculatePerStepAdvantages, type PerStepOptions } from './per-step.js';
export { calculatePerStepDiscountedAdvantages } from './per-step-discounted.js';
export {
  type AnchorOptions,
  type StepCluster,
  type StepPlace,
  sharedSteps,
  stepClusters,
} from './step-clusters.js';
export { calculateStepReinforceAdvantages, type StepGroupOptions } from './step-reinforce.js';
export { discountedReturns, stepRewards } from './step-returns.js';
export { byMetadata, byStep, Gigpo, hierarchical, PerStep, PerStepDiscounted, StepReinforce };

declare module 'rllm-sdk' {
  interface EstimatorOptionsMap {
    gigpo: OptionsGiven<GigpoEstimatorOptions>;
    step_reinforce: OptionsGiven<AnchorEstimatorOptions>;
    per_step: OptionsGiven<StepValueOptions & { readonly normByStd: boolean }>;
    per_step_discounted: OptionsGiven<{ readonly gamma: number }>;
  }
  interface GroupingHookOptionsMap {
    by_metadata: OptionsGiven<ByMetadataOptions>;
    by_step: OptionsGiven<StepValueOptions>;
    hierarchical: OptionsGiven<HierarchicalOptions>;
  }
}

const plugin: PluginDefinition = definePlugin({
  name: 'rllm-plugin-step-groups',
  apiVersion: 1,
  estimators: [Gigpo, StepReinforce, PerStep, PerStepDiscounted],
  groupingHooks: [byMetadata, hierarchical, byStep],
  setup({ config, logger, addHooks }) {
    addHooks(clusterMetrics(config.algorithm, logger));
  },
});

export default plugin;
