import { describe, expect, test } from 'vitest';
import { nearest, suggestion } from '../src/nearest.js';

describe('the nearest name', () => {
  test.each([
    ['gropo', 'grpo'],
    ['GRPO', 'grpo'],
    ['rlo', 'rloo'],
    ['zzz', undefined],
    ['', undefined],
  ])('of %j is %j', (word, expected) => {
    expect(nearest(word, ['grpo', 'reinforce', 'rloo'])).toBe(expected);
  });

  test('is said together with all that is known', () => {
    expect(suggestion('gropo', ['rloo', 'grpo'])).toBe('Did you mean "grpo"? Known: grpo, rloo.');
    expect(suggestion('x', [])).toBe('None is known.');
  });
});
