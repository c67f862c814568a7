import { definePlugin, type PluginDefinition } from 'rllm-sdk';
import { Opo } from './opo-estimator.js';

export { calculateOpoAdvantages } from './opo.js';
export { Opo };

const plugin: PluginDefinition = definePlugin({ name: 'rllm-plugin-opo', apiVersion: 1, estimators: [Opo] });

export default plugin;
