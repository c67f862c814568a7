import { definePlugin, defineWorkflow, type WorkflowDefinition } from 'rllm-sdk';
import * as z from 'zod';

const schema = z.strictObject({
  tries: z.number().int().positive().default(2).describe('How often the agent may answer.'),
});

/** Asks the question of the task until the answer is right: 1 at once, less for every further try, 0 for none. */
export const exampleWorkflow: WorkflowDefinition<z.output<typeof schema>> = defineWorkflow({
  name: 'example_part',
  summary: 'a question with several tries',
  options: schema,
  async run(task, { agent, options, terminate }) {
    const answering = agent('agent');
    let input = String(task['question']);
    for (let t = 0; t < options.tries; t++) {
      const { text } = await answering.respond(input);
      if (text.trim() === String(task['answer'])) {
        answering.reward((options.tries - t) / options.tries);
        terminate('env_done');
      }
      input = 'That is wrong. Try again.';
    }
    answering.reward(0);
    terminate('max_turns_exceeded');
  },
});

export default definePlugin({
  name: 'rllm-plugin-example',
  apiVersion: 1,
  workflows: [exampleWorkflow],
});
