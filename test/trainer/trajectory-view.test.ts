import { describe, expect, test } from 'vitest';
import { groupOf } from '../../src/testing/index.js';
import { sampleTrajectories, trajectoryView } from '../../src/trainer/trajectory-view.js';
import { createStep, createTrajectory, type TrajectoryGroup } from '../../src/types/index.js';
import { collect, tiny } from './tiny-run.js';

/** A token reads as its number in brackets. */
const tokens = { decode: (id: number) => `[${id}]` };

function groupWith(steps: Parameters<typeof createStep>[0][]): TrajectoryGroup {
  const trajectory = createTrajectory({
    name: 'agent',
    reward: 1,
    steps: steps.map((one) => createStep(one)),
  });
  return { ...groupOf([1]), trajectories: [trajectory] };
}

describe('a trajectory as a person reads it', () => {
  test('joins steps whose prompt goes on from all tokens before', () => {
    const group = groupWith([
      { promptIds: [1, 2], responseIds: [3], advantage: 0.5 },
      { promptIds: [1, 2, 3, 4, 5], responseIds: [6], advantage: 0.5 },
    ]);
    expect(trajectoryView(group, 0, tokens)?.pieces).toEqual([
      { kind: 'prompt', text: '[1][2]', advantage: null },
      { kind: 'response', text: '[3]', advantage: 0.5 },
      { kind: 'observation', text: '[4][5]', advantage: null },
      { kind: 'response', text: '[6]', advantage: 0.5 },
    ]);
  });

  test('shows a prompt whole again when the conversation was rewritten', () => {
    const group = groupWith([
      { promptIds: [1, 2], responseIds: [3] },
      { promptIds: [1, 9], responseIds: [6] },
    ]);
    expect(trajectoryView(group, 0, tokens)?.pieces.map(({ kind, text }) => [kind, text])).toEqual([
      ['prompt', '[1][2]'],
      ['response', '[3]'],
      ['prompt', '[1][9]'],
      ['response', '[6]'],
    ]);
  });

  test('splits a response where the advantage changes', () => {
    const group = groupWith([{ promptIds: [1], responseIds: [2, 3, 4], advantage: [1, 1, -1] }]);
    expect(trajectoryView(group, 0, tokens)?.pieces.slice(1)).toEqual([
      { kind: 'response', text: '[2][3]', advantage: 1 },
      { kind: 'response', text: '[4]', advantage: -1 },
    ]);
  });

  test('shows an empty response', () => {
    const group = groupWith([{ promptIds: [1], responseIds: [] }]);
    expect(trajectoryView(group, 0, tokens)?.pieces.at(-1)).toEqual({
      kind: 'response',
      text: '',
      advantage: null,
    });
  });

  test('is read from its messages when the backend has no tokens', () => {
    const question = { role: 'user', content: 'q' } as const;
    const answer = { role: 'assistant', content: 'a' } as const;
    const hint = { role: 'user', content: 'warmer' } as const;
    const group = groupWith([
      { chatCompletions: [question, answer], modelResponse: 'a', advantage: 2 },
      { chatCompletions: [question, answer, hint, answer], modelResponse: 'a', advantage: 2 },
    ]);
    expect(trajectoryView(group, 0, undefined)?.pieces).toEqual([
      { kind: 'prompt', text: 'user: q', advantage: null },
      { kind: 'response', text: 'a', advantage: 2 },
      { kind: 'observation', text: 'user: warmer', advantage: null },
      { kind: 'response', text: 'a', advantage: 2 },
    ]);
  });
});

describe('a sample of trajectories', () => {
  const groups = ['a', 'b', 'c', 'd'].map((taskId) => groupOf([1, 0], { taskId }));

  test.each([
    [0, []],
    [1, ['a0']],
    [2, ['a0', 'c0']],
    [4, ['a0', 'b0', 'c0', 'd0']],
    [6, ['a0', 'b0', 'c0', 'd0', 'a1', 'b1']],
    [99, ['a0', 'b0', 'c0', 'd0', 'a1', 'b1', 'c1', 'd1']],
  ])('of %i is spread over the groups', (count, expected) => {
    const chosen = sampleTrajectories(groups, count).map(({ group, index }) => `${group.taskId}${index}`);
    expect(chosen).toEqual(expected);
  });

  test('is shown after each step, as many as asked', async () => {
    const { trainer } = tiny({ config: { trainer: { showTrajectories: 2, totalBatches: 3 } } });
    const events = await collect(trainer);
    const shown = events.flatMap((event) => (event.event === 'trajectory' ? [event.step] : []));
    expect(shown).toEqual([1, 1, 2, 2, 3, 3]);
  });
});
