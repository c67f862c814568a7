import { defineWorkflow, type Message, type Task, type WorkflowDefinition } from 'rllm-sdk';
import { fillPrompt } from './fill-prompt.js';
import { type MathOptions, mathOptions } from './math-options.js';
import { formatScore } from './math-rewards.js';
import { scoreAnswer } from './score-answer.js';

/**
 * One question, one reply. Its own reward is that of `math_answer`, so that it trains as it is and `pass@k` counts right answers;
 * `reward.functions` in the config may weigh others in. A reply that was cut off ends it with `max_response_length_exceeded`.
 */
export const mathWorkflow: WorkflowDefinition<MathOptions> = defineWorkflow<MathOptions>({
  name: 'math',
  summary: 'asks one question of mathematics; the reward is 1 for the right answer',
  options: mathOptions,
  async run(task, context) {
    const { options } = context;
    const agent = context.agent(options.role, openingOf(options));
    const { content, finishReason } = await agent.respond(fillPrompt(options.prompt, task));
    const score = scoreAnswer(content, task, options);
    agent.reward(score, { math_answer: score, math_format: formatScore(content) });
    if (finishReason === 'length') context.terminate('max_response_length_exceeded');
  },
});

function openingOf({ system, prompt, examples, questionField }: MathOptions): readonly Message[] {
  const shown = examples.flatMap(({ question, answer }): Message[] => {
    const row: Task = { [questionField]: question };
    return [
      { role: 'user', content: fillPrompt(prompt, row) },
      { role: 'assistant', content: answer },
    ];
  });
  return system === null ? shown : [{ role: 'system', content: system }, ...shown];
}
