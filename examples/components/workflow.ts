/*
 * Two rewards at once: a model learns to give the right answer and to give it in the right form.
 *
 * It is asked for the next digit and shall answer in two words, `is 4`. The two things are graded apart, as named components of
 * the reward. GDPO compares each component within its group before it adds them up, so that neither drowns the other, and a
 * component that all answers of a group have stops to matter there.
 *
 * Train it:  npx rllm train --config examples/components/rllmrc.json
 * Data: `{"id":"after-3","question":"3","answer":"4"}`, the next digit, and 0 after 7.
 */
import { createEpisode, defineWorkflow } from 'rllm-sdk';
import { z } from 'zod';

const row = z.object({ question: z.string(), answer: z.string() });

export default defineWorkflow({
  name: 'tagged-answer',
  summary: 'Answer in a given form; form and answer are graded apart.',
  async run(task, { agent, taskId, rolloutIndex }) {
    const { question, answer } = row.parse(task);
    const speaker = agent('speaker');
    const { content } = await speaker.respond(`next ${question}`);
    const [form, said] = content.split(' ');

    const rewards = { correct: said === answer ? 1 : 0, format: form === 'is' ? 1 : 0 };
    speaker.trajectory.rewards = rewards;
    speaker.reward(rewards.correct + rewards.format);

    return createEpisode({ taskId, rolloutIndex, isCorrect: rewards.correct + rewards.format === 2 });
  },
});
