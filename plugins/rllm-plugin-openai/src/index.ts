import { definePlugin, type PluginDefinition } from 'rllm-sdk';
import { openaiBackend } from './openai-backend-definition.js';

export { openaiBackend } from './openai-backend-definition.js';
export { type OpenAIOptions, openaiOptions, type TokenIds } from './openai-options.js';

const plugin: PluginDefinition = definePlugin({
  name: 'rllm-plugin-openai',
  apiVersion: 1,
  backends: [openaiBackend],
});

export default plugin;
