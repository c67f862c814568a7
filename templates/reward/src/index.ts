import { definePlugin, RewardFunction, type RewardInput } from 'rllm-sdk';
import * as z from 'zod';

const schema = z.strictObject({
  field: z.string().default('answer').describe('Field of the task that holds the right answer.'),
});

/** 1 when the last reply is the answer of the task, spaces around it aside; else 0. */
@RewardFunction('example_part', { summary: '1 for the answer of the task, else 0', options: schema })
export class ExampleReward {
  score({ task, trajectory, options }: RewardInput<z.output<typeof schema>>): number {
    const reply = trajectory.steps.at(-1)?.modelResponse ?? '';
    return reply.trim() === String(task[options.field]).trim() ? 1 : 0;
  }
}

export default definePlugin({
  name: 'rllm-plugin-example',
  apiVersion: 1,
  rewards: [ExampleReward],
});
