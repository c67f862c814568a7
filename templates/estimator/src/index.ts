import { type AdvantageBatch, type AdvantageEstimates, AdvEstimator, definePlugin } from 'rllm-sdk';
import * as z from 'zod';

const schema = z.strictObject({
  scale: z.number().positive().default(1).describe('Advantages are multiplied by it.'),
});

/**
 * Reward minus the mean of its group: Aᵢ = scale · (rᵢ − mean(r)).
 *
 * `rewards[g][i]` is the reward of trajectory i of group g. Replace the formula by yours, and say here where it comes from.
 */
@AdvEstimator('example_part', { summary: 'scale · (r − mean of the group)', options: schema })
export class ExampleEstimator {
  estimate({ rewards, options }: AdvantageBatch<z.output<typeof schema>>): AdvantageEstimates {
    return { advantages: rewards.map((group) => aboveMean(group, options.scale)) };
  }
}

function aboveMean(rewards: Float64Array, scale: number): Float64Array {
  // Exactly 0 where nothing differs: the mean of equal numbers may be off by a rounding error.
  if (rewards.every((reward) => reward === rewards[0])) return new Float64Array(rewards.length);
  const mean = rewards.reduce((sum, reward) => sum + reward, 0) / rewards.length;
  return rewards.map((reward) => scale * (reward - mean));
}

export default definePlugin({
  name: 'rllm-plugin-example',
  apiVersion: 1,
  estimators: [ExampleEstimator],
});
