import { describe, expect, test } from 'vitest';
import { createStep, createTrajectory, trajectoryPart, wholeOf } from '../../src/types/index.js';

const whole = createTrajectory({
  uid: 'u',
  name: 'walker',
  task: { id: 't' },
  reward: 1,
  rewards: { correct: 1 },
  steps: [createStep({ id: 'a' }), createStep({ id: 'b' }), createStep({ id: 'c' })],
});

describe('a part of a trajectory', () => {
  test('holds the very steps of the whole, its role and task, and the reward given', () => {
    const part = trajectoryPart(whole, 1, 3, 0.5);
    expect(part).toMatchObject({ uid: 'u#1-3', name: 'walker', task: { id: 't' }, reward: 0.5 });
    expect(part.steps).toHaveLength(2);
    expect(part.steps[0]).toBe(whole.steps[1]);
    expect(part.steps[1]).toBe(whole.steps[2]);
    expect(part.rewards).toBeUndefined();
  });

  test('has no reward unless one is given', () => {
    expect('reward' in trajectoryPart(whole, 0, 1)).toBe(false);
  });

  test('knows its whole, also as a spread copy, and a whole is its own', () => {
    const part = trajectoryPart(whole, 0, 1);
    expect(wholeOf(part)).toBe(whole);
    expect(wholeOf({ ...part, reward: 2 })).toBe(whole);
    expect(wholeOf(whole)).toBe(whole);
  });

  test('is plain data as JSON, without the whole', () => {
    const part = trajectoryPart(whole, 0, 1);
    expect(Object.keys(JSON.parse(JSON.stringify(part)))).toEqual(['uid', 'name', 'steps', 'info', 'task']);
  });

  test.each([
    [0, 0],
    [3, 4],
    [2, 1],
  ])('from %d to %d has no step, which is refused', (from, to) => {
    expect(() => trajectoryPart(whole, from, to)).toThrow(RangeError);
  });
});
