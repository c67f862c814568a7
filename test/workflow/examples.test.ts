import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import guessNumber from '../../examples/guess-number/workflow.js';
import solverJudge from '../../examples/solver-judge/workflow.js';
import type { RolloutEngine } from '../../src/rollout/index.js';
import type { Episode } from '../../src/types/index.js';
import type { RolloutRequest, Task, WorkflowDefinition } from '../../src/workflow/index.js';
import { engineFor, scripted } from './run-workflow.js';

function rows(path: string): RolloutRequest[] {
  const text = readFileSync(new URL(`../../examples/${path}`, import.meta.url), 'utf8');
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Task & { readonly id: string })
    .map((task) => ({ taskId: task.id, rolloutIndex: 0, task }));
}

function play(
  workflow: WorkflowDefinition,
  requests: RolloutRequest[],
  rolloutEngine: RolloutEngine,
  options: unknown,
): Promise<Episode[]> {
  return engineFor(workflow, { rolloutEngine, options }).executeTasks(requests, { mode: 'val', step: 0 });
}

describe('examples/guess-number', () => {
  const secrets = rows('guess-number/val.jsonl');
  const game = { n: 7, tries: 3 };

  /** Guesses the middle of what is left. */
  const bisect = scripted(({ messages }) => {
    let [low, high] = [1, 8];
    for (let i = 1; i + 1 < messages.length; i += 2) {
      const guess = Number(messages[i]?.content);
      if (messages[i + 1]?.content === 'higher') low = guess + 1;
      else high = guess;
    }
    return String(Math.floor((low + high) / 2));
  });

  test('is won for each of the seven secrets by binary search', async () => {
    const episodes = await play(guessNumber, secrets, bisect, game);
    expect(episodes.map(({ isCorrect, terminationReason }) => [isCorrect, terminationReason])).toEqual(
      secrets.map(() => [true, 'env_done']),
    );
  });

  test('is lost without a reward when the tries run out, and says invalid to what is no number of the range', async () => {
    const replies = ['0', 'lower', '8'];
    const hopeless = scripted(({ identity }) => replies[identity.call] ?? '');
    const [episode] = await play(guessNumber, secrets, hopeless, game);
    expect(episode).toMatchObject({ isCorrect: false, terminationReason: 'max_turns_exceeded' });
    const conversation = episode?.trajectories[0]?.steps
      .at(-1)
      ?.chatCompletions.map(({ content }) => content);
    expect(conversation).toEqual(['guess', '0', 'invalid', 'lower', 'invalid', '8']);
  });
});

describe('examples/solver-judge', () => {
  const questions = rows('solver-judge/val.jsonl');

  test('rewards each solver for its own answer, and the judge for picking a correct one', async () => {
    const firstWrong = scripted(({ messages, identity }) => {
      const [task, digit] = (messages[0]?.content ?? '').split(' ');
      const isWrong = task === 'solve' && identity.call === 0;
      return isWrong ? 'solve' : String((Number(digit) + 1) % 8);
    });
    for (const { trajectories, isCorrect } of await play(solverJudge, questions, firstWrong, {
      solvers: 3,
    })) {
      expect(trajectories.map(({ name, reward }) => [name, reward])).toEqual([
        ['solver', 0],
        ['solver', 1],
        ['solver', 1],
        ['judge', 1],
      ]);
      expect(isCorrect).toBe(true);
    }
  });

  test('gives the judge nothing for an answer that no solver gave, though it be right', async () => {
    const knowsAlone = scripted(({ messages }) => {
      const [task, digit] = (messages[0]?.content ?? '').split(' ');
      return task === 'judge' ? String((Number(digit) + 1) % 8) : 'solve';
    });
    for (const { trajectories, isCorrect } of await play(solverJudge, questions, knowsAlone, {
      solvers: 2,
    })) {
      expect(trajectories.at(-1)).toMatchObject({ name: 'judge', reward: 0 });
      expect(isCorrect).toBe(false);
    }
  });
});
