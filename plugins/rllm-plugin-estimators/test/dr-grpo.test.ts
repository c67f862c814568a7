import { expect, test } from 'vitest';
import { calculateDrGrpoAdvantages } from '../src/index.js';
import { rounded } from './support.js';

test.each([
  { what: 'one success in four', rewards: [[1, 0, 0, 0]], expected: [[0.75, -0.25, -0.25, -0.25]] },
  {
    what: 'groups of different sizes, each about its own mean',
    rewards: [
      [1, 2, 3, 4],
      [10, 12],
      [5, 6, 7],
    ],
    expected: [
      [-1.5, -0.5, 0.5, 1.5],
      [-1, 1],
      [-1, 0, 1],
    ],
  },
  {
    what: 'a uniform group between others',
    rewards: [
      [1, 2, 3, 4],
      [5, 5, 5],
      [0, 0, 0, 4],
    ],
    expected: [
      [-1.5, -0.5, 0.5, 1.5],
      [0, 0, 0],
      [-1, -1, -1, 3],
    ],
  },
  { what: 'a lone trajectory keeps its reward', rewards: [[0.25]], expected: [[0.25]] },
  { what: 'no groups', rewards: [], expected: [] },
])('$what', ({ rewards, expected }) => {
  expect(rounded(calculateDrGrpoAdvantages(rewards), 12)).toEqual(expected);
});

test('a rollout is one trajectory however many steps it has: 1 and 0 centre on one half', () => {
  expect(rounded(calculateDrGrpoAdvantages([[1, 0]]))).toEqual([[0.5, -0.5]]);
});
