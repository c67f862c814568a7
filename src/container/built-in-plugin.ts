import { builtInEstimators } from '../advantage/index.js';
import { localBackend } from '../backend/local/index.js';
import { fileSource } from '../data/index.js';
import { builtInGroupingHooks } from '../grouping/index.js';
import { definePlugin, PLUGIN_API_VERSION, type PluginDefinition } from '../plugin-host/index.js';
import { builtInRewards } from '../reward/index.js';
import { builtInTrackers } from '../tracking/index.js';

/** What the SDK brings itself, through the door that every plugin uses. It is installed first. */
export const builtInPlugin: PluginDefinition = definePlugin({
  name: 'rllm-sdk',
  apiVersion: PLUGIN_API_VERSION,
  estimators: builtInEstimators,
  groupingHooks: builtInGroupingHooks,
  backends: [localBackend],
  rewards: builtInRewards,
  datasets: [fileSource],
  trackers: builtInTrackers,
});
