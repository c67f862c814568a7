/*
 * Guess a number: a model learns binary search from a 0/1 reward.
 *
 * The environment holds a secret from 1 to n. The model has a few tries; after each it hears `higher`, `lower`, or
 * `invalid` for a word that is no number of the range. It wins with the secret. With n = 7 and 3 tries only binary search
 * wins always, and nobody tells it so.
 *
 * Train it from the root of the repository:  npm run quickstart
 * Data: one row per secret, `{"id":"secret-4","secret":4}`. Validation asks for each secret once, greedily.
 */
import { defineWorkflow } from 'rllm-sdk';
import { z } from 'zod';

const options = z.strictObject({
  /** Secrets are 1 to n. */
  n: z.int().positive().default(7),
  tries: z.int().positive().default(3),
});

const row = z.object({ secret: z.int().positive() });

export default defineWorkflow({
  name: 'guess-number',
  summary: 'Find a number by asking: the environment answers higher or lower.',
  options,
  async run(task, { agent, options: { n, tries }, terminate }) {
    const { secret } = row.parse(task);
    const guesser = agent('guesser');
    let observation = 'guess';
    for (let attempt = 1; attempt <= tries; attempt++) {
      const { content } = await guesser.respond(observation, { maxTokens: 1 });
      if (content === String(secret)) {
        guesser.reward(1);
        return;
      }
      observation = answer(content, secret, n);
    }
    terminate('max_turns_exceeded');
  },
});

function answer(guess: string, secret: number, n: number): 'higher' | 'lower' | 'invalid' {
  const number = /^\d+$/.test(guess) ? Number(guess) : 0;
  if (number < 1 || number > n) return 'invalid';
  return number < secret ? 'higher' : 'lower';
}
