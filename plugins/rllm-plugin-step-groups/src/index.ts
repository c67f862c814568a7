import { definePlugin, type PluginDefinition } from 'rllm-sdk';
import { clusterMetrics } from './cluster-metrics.js';
import { Gigpo } from './gigpo.js';
import { byMetadata } from './grouping/by-metadata.js';
import { byStep } from './grouping/by-step.js';
import { hierarchical } from './grouping/hierarchical.js';
import { PerStep } from './per-step.js';
import { PerStepDiscounted } from './per-step-discounted.js';
import { StepReinforce } from './step-reinforce.js';

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
