import { describe, expect, test } from 'vitest';
import { hierarchicalGrpo, hierarchicalGrpoOptions } from '../src/hierarchical-grpo.js';
import { calculateHierarchicalGrpoAdvantages } from '../src/index.js';
import { algorithm, type GroupInit, group, rounded } from './support.js';

test.each([
  { what: 'one episode', rewards: [1, 1, 0], keys: [0, 0, 0], expected: [1 / 3, 1 / 3, -2 / 3] },
  {
    what: 'two episodes in turns',
    rewards: [1, 0, 0, 0],
    keys: ['a', 'b', 'a', 'b'],
    expected: [0.5, 0, -0.5, 0],
  },
  { what: 'alone under its key', rewards: [1, 0, 7], keys: [0, 0, 1], expected: [0.5, -0.5, 0] },
  { what: 'peers that agree', rewards: [0.1, 0.1, 0.1, 5], keys: [0, 0, 0, 1], expected: [0, 0, 0, 0] },
])('$what', ({ rewards, keys, expected }) => {
  const [got] = calculateHierarchicalGrpoAdvantages([rewards], [keys]);
  expected.forEach((value, i) => {
    expect(got?.[i]).toBeCloseTo(value, 14);
  });
});

test('a group with too few keys is an error that names it', () => {
  expect(() => calculateHierarchicalGrpoAdvantages([[1, 2]], [[1]])).toThrow(
    'group 0 has 2 rewards and 1 keys',
  );
});

describe('the estimator', () => {
  const estimate = (
    rewards: readonly number[],
    init: GroupInit,
    episodeRoles: readonly string[],
  ): number[][] => {
    const { advantages } = hierarchicalGrpo({
      role: init.role ?? 'solver',
      rewards: [Float64Array.from(rewards)],
      groups: [group(rewards, init)],
      algorithm,
      options: hierarchicalGrpoOptions.parse({ episodeRoles }),
    });
    return rounded(advantages as readonly Float64Array[], 12);
  };

  test('compares solvers within their episode', () => {
    expect(estimate([1, 0, 1, 1], { rollouts: [0, 0, 1, 1] }, ['solver'])).toEqual([[0.5, -0.5, 0, 0]]);
  });

  test('compares other roles across the group', () => {
    const init = { role: 'proposer', rollouts: [0, 1, 2, 3] };
    expect(estimate([1, 0, 1, 1], init, ['solver'])).toEqual([[0.25, -0.75, 0.25, 0.25]]);
  });

  test('tells episodes apart by their numbers, whatever the id of the task looks like', () => {
    expect(estimate([1, 0, 4, 2], { taskId: 'a:1', rollouts: [1, 11, 1, 11] }, ['solver'])).toEqual([
      [-1.5, -1, 1.5, 1],
    ]);
  });

  test('gives 0 to a trajectory alone in its group, listed or not', () => {
    expect(estimate([3], {}, ['solver'])).toEqual([[0]]);
    expect(estimate([3], {}, [])).toEqual([[0]]);
  });
});

test('by default no role is compared by episode', () => {
  expect(hierarchicalGrpoOptions.parse({})).toEqual({ episodeRoles: [] });
});
