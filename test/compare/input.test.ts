import { expect, test } from 'vitest';
import { inputOfTable, parseColumn, readRewardTable } from '../../src/compare/index.js';

test('a list of groups is a table of rewards', () => {
  expect(readRewardTable([[1, 0], [0.5]], 'it')).toEqual({ rewards: [[1, 0], [0.5]] });
});

test('an object may add lengths, components and greedy rewards', () => {
  const value = {
    rewards: [[1, 0]],
    lengths: [[3, 4]],
    components: [[{ correct: 1 }, { correct: 0 }]],
    greedy: [0.5],
  };
  const { groups, provides } = inputOfTable(readRewardTable(value, 'it'));
  expect([...provides].sort()).toEqual(['greedyBaseline', 'lengths', 'rewardComponents']);
  const [group] = groups;
  expect(group?.trajectories.map(({ steps }) => steps[0]?.responseIds.length)).toEqual([3, 4]);
  expect(group?.trajectories.map(({ rewards }) => rewards)).toEqual([{ correct: 1 }, { correct: 0 }]);
  expect(group?.baselines?.map(({ reward }) => reward)).toEqual([0.5]);
});

test('components without a name provide none', () => {
  const value = { rewards: [[1, 0]], components: [[{}, {}]] };
  expect([...inputOfTable(readRewardTable(value, 'it')).provides]).toEqual([]);
});

test.each([
  ['numbers without groups', [1, 0], /\[0\]/],
  ['an empty table', [], /table of rewards/],
  ['an empty group', [[1], []], /\[1\]/],
  ['text as a reward', [[1, 'x']], /\[0\]\[1\]/],
  ['an unknown key', { rewards: [[1]], reward: [] }, /reward/],
  [
    'lengths of other groups',
    { rewards: [[1, 0]], lengths: [[1]] },
    /groups of 2 rewards, and lengths for groups of 1/,
  ],
  ['components of other groups', { rewards: [[1, 0]], components: [[{ a: 1 }]] }, /components/],
  ['too many greedy rewards', { rewards: [[1, 0]], greedy: [1, 1] }, /1 groups, and the greedy reward of 2/],
  ['a length of nothing', { rewards: [[1]], lengths: [[0]] }, /lengths\[0\]\[0\]/],
])('%s is refused where it is wrong', (_name, value, where) => {
  expect(() => readRewardTable(value, 'the file')).toThrow(
    expect.objectContaining({ code: 'USAGE', message: expect.stringMatching(where) }),
  );
});

test('a column may bring options of its own', () => {
  expect(parseColumn('grpo')).toEqual({ label: 'grpo', name: 'grpo', options: {} });
  expect(parseColumn('x:scale=batch,ddof=1,weights={"a":1,"b":[2,3]},on=true').options).toEqual({
    scale: 'batch',
    ddof: 1,
    weights: { a: 1, b: [2, 3] },
    on: true,
  });
});

test.each(['', ':a=1', 'x:', 'x:a', 'x:=1', 'x:a=1,,b=2'])('the column %j is refused', (text) => {
  expect(() => parseColumn(text)).toThrow(expect.objectContaining({ code: 'USAGE' }));
});
