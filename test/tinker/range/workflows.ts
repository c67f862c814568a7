/*
 * Tasks that a model of random weights can learn in a few steps: write tokens of low ids. The reward is the share of them.
 *
 * They have the structure of two examples: `range-turns` goes to and fro with its environment as guess-number does,
 * `range-judge` has the two roles of solver-judge.
 */
import { createEpisode, defineWorkflow, type ModelOutput } from 'rllm-sdk';
import { z } from 'zod';

const options = z.strictObject({
  /** Token ids from 0 up to, but not including, this one are rewarded. */
  below: z.int().positive().default(32),
});

export const rangeTurns: unknown = defineWorkflow({
  name: 'range-turns',
  options,
  async run(_task, { agent, options: { below } }) {
    const guesser = agent('guesser');
    const first = share(await guesser.respond('guess'), below);
    guesser.reward(first);
    const second = share(await guesser.respond(first < 0.5 ? 'lower' : 'higher'), below);
    guesser.reward(second);
    guesser.trajectory.reward = (first + second) / 2;
  },
});

export const rangeJudge: unknown = defineWorkflow({
  name: 'range-judge',
  options,
  async run(_task, { agent, options: { below }, taskId, rolloutIndex }) {
    const shares = await Promise.all(
      [0, 1].map(async () => {
        const solver = agent('solver');
        const answered = share(await solver.respond('solve'), below);
        solver.reward(answered);
        return answered;
      }),
    );
    const judge = agent('judge');
    const judged = share(await judge.respond('judge'), below);
    judge.reward(judged);
    return createEpisode({ taskId, rolloutIndex, isCorrect: judged > 0.5 && Math.min(...shares) > 0.5 });
  },
});

function share({ completionIds }: ModelOutput, below: number): number {
  return completionIds.filter((id) => id < below).length / completionIds.length;
}
