import { definePlugin, PLUGIN_API_VERSION, type PluginDefinition } from 'rllm-sdk';
import { tinkerBackend } from './backend/index.js';
import { tinkerCheck } from './commands/tinker-check.js';

export { type TinkerOptions, tinkerBackend } from './backend/index.js';
export { Renderer } from './renderer/index.js';

/** The backend `tinker`, and the command `rllm tinker check`. */
const plugin: PluginDefinition = definePlugin({
  name: 'rllm-plugin-tinker',
  apiVersion: PLUGIN_API_VERSION,
  backends: [tinkerBackend],
  commands: [tinkerCheck],
});

export default plugin;
