import { definePlugin, type PluginDefinition } from 'rllm-sdk';
import { type TensorBoardOptions, tensorBoardOptions } from './tensorboard-options.js';
import { tensorBoardTracker } from './tensorboard-tracker.js';

export { type TensorBoardOptions, tensorBoardOptions } from './tensorboard-options.js';
export { tensorBoardTracker } from './tensorboard-tracker.js';

const plugin: PluginDefinition<TensorBoardOptions> = definePlugin({
  name: 'rllm-plugin-tensorboard',
  apiVersion: 1,
  options: tensorBoardOptions,
  setup(context) {
    context.addTracker(tensorBoardTracker(context.options));
  },
});

export default plugin;
