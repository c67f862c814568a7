import { definePlugin, type LifecycleHooks, type PluginDefinition } from 'rllm-sdk';
import * as z from 'zod';

const schema = z.strictObject({
  maxTokens: z.number().int().positive().default(1e9).describe('Sampled tokens after which the run ends.'),
});

/** Counts the tokens that the model samples, adds the sum to the metrics, and ends the run when it has sampled enough. */
export function exampleHooks(maxTokens: number): LifecycleHooks {
  let tokens = 0;
  return {
    onRolloutEnd({ trajectories }) {
      for (const step of trajectories.flatMap(({ steps }) => steps)) tokens += step.responseIds.length;
    },
    onBatchEnd(state, run) {
      state.metrics['example_part/tokens'] = tokens;
      if (tokens >= maxTokens) run.stop(`the model has sampled ${tokens} tokens`);
    },
  };
}

const plugin: PluginDefinition<z.output<typeof schema>> = definePlugin({
  name: 'rllm-plugin-example',
  apiVersion: 1,
  options: schema,
  setup({ options, addHooks }) {
    addHooks(exampleHooks(options.maxTokens));
  },
});

export default plugin;
