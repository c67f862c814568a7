import { definePlugin, type PluginDefinition, RllmError } from 'rllm-sdk';
import { EarlyStop } from './early-stop.js';
import { type EarlyStopOptions, earlyStopOptions } from './early-stop-options.js';

export type { BestRecord } from './best-checkpoint.js';
export { EarlyStop } from './early-stop.js';
export { type EarlyStopOptions, earlyStopOptions } from './early-stop-options.js';
export { judgeValidations, type Validation, type Verdict } from './judge-validations.js';

const plugin: PluginDefinition<EarlyStopOptions> = definePlugin({
  name: 'rllm-plugin-early-stop',
  apiVersion: 1,
  options: earlyStopOptions,
  setup(context) {
    const { options, config, logger } = context;
    if (config.trainer.testFreq === 0 && !config.trainer.valOnly) {
      throw new RllmError(
        'SETTING_IMPOSSIBLE',
        `it follows ${options.metric}, and nothing is validated: trainer.testFreq is 0. Set it to the number of steps between validations`,
      );
    }
    context.addHooks(new EarlyStop(options, logger));
  },
});

export default plugin;
