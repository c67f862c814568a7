import type { RolloutEngine } from '../../src/rollout/index.js';
import type { Message, Step, Trajectory } from '../../src/types/index.js';

/** The task that is timed: find a number from 1 to `numbers` in `turns` guesses; each miss is answered by "lower" or "higher". */
export interface GuessNumber {
  readonly numbers: number;
  readonly turns: number;
}

export function guessNumberWords({ numbers }: GuessNumber): string[] {
  return ['<bos>', ...Array.from({ length: numbers }, (_, i) => String(i + 1)), 'lower', 'higher'];
}

/** Tokens of the longest game: the first token, and a guess and an answer per turn but for the last answer. */
export function guessNumberLength({ turns }: GuessNumber): number {
  return 2 * turns;
}

export interface GuessRollout {
  readonly mode: 'train' | 'val';
  readonly step: number;
  readonly taskId: string;
  readonly rolloutIndex: number;
  readonly secret: number;
  readonly temperature: number;
}

/** One game: reward 1 for the number found, 0 for all turns used or a word that is no number. */
export async function playGuessNumber(
  game: GuessNumber,
  engine: RolloutEngine,
  { mode, step, taskId, rolloutIndex, secret, temperature }: GuessRollout,
): Promise<Trajectory> {
  const messages: Message[] = [];
  const steps: Step[] = [];
  let reward = 0;
  for (let turn = 0; turn < game.turns; turn++) {
    const output = await engine.getModelResponse({
      messages: [...messages],
      sampling: { temperature, topP: 1, maxTokens: 1 },
      identity: { mode, step, taskId, rolloutIndex, attempt: 1, call: turn },
    });
    steps.push({
      id: `${taskId}:${rolloutIndex}:${turn}`,
      promptIds: output.promptIds,
      responseIds: output.completionIds,
      logprobs: output.logprobs,
      chatCompletions: [],
      modelResponse: output.text,
      reward: 0,
      done: false,
      mcReturn: 0,
      info: {},
    });
    const guess = Number(output.text);
    if (guess === secret) reward = 1;
    if (reward === 1 || Number.isNaN(guess)) break;
    messages.push(
      { role: 'assistant', content: output.text },
      { role: 'user', content: secret < guess ? 'lower' : 'higher' },
    );
  }
  return { uid: `${taskId}:${rolloutIndex}`, name: 'guesser', steps, reward, info: {} };
}
