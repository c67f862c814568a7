/*
 * Solver and judge: two roles of one model learn together, each with its own estimator.
 *
 * Several solvers answer the same question, side by side. A judge reads the question and their answers and repeats the one
 * it trusts. A solver is rewarded for its own answer; the judge for picking a correct one. The episode counts as solved
 * when the judge picked well.
 *
 * `rllmrc.json` beside this file says how credit is assigned: solvers of one question are compared with each other (GRPO),
 * the judge, alone in its episode, learns from its plain reward (REINFORCE).
 *
 * Train it:  npx rllm train --config examples/solver-judge/rllmrc.json
 * Data: `{"id":"after-3","question":"3","answer":"4"}`, the next digit, and 0 after 7.
 */
import { createEpisode, defineWorkflow } from 'rllm-sdk';
import { z } from 'zod';

const options = z.strictObject({
  /** Answers that the judge chooses from. */
  solvers: z.int().positive().default(3),
});

const row = z.object({ question: z.string(), answer: z.string() });

export default defineWorkflow({
  name: 'solver-judge',
  summary: 'Solvers answer, a judge picks one of their answers.',
  options,
  async run(task, { agent, options: { solvers }, taskId, rolloutIndex }) {
    const { question, answer } = row.parse(task);

    const candidates = await Promise.all(
      Array.from({ length: solvers }, async () => {
        const solver = agent('solver');
        const { content } = await solver.respond(`solve ${question}`, { maxTokens: 1 });
        solver.reward(content === answer ? 1 : 0);
        return content;
      }),
    );

    const judge = agent('judge');
    const pick = await judge.respond(`judge ${question} ${candidates.join(' ')}`, { maxTokens: 1 });
    const isCorrect = candidates.includes(pick.content) && pick.content === answer;
    judge.reward(isCorrect ? 1 : 0);

    return createEpisode({ taskId, rolloutIndex, isCorrect });
  },
});
