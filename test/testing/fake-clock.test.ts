import { expect, test } from 'vitest';
import { fakeClock } from '../../src/testing/index.js';

test('timers fire in the order of their time, those of one time in the order in which they were set', () => {
  const clock = fakeClock();
  const fired: string[] = [];
  clock.after(20, () => fired.push('late'));
  clock.after(10, () => fired.push('first of 10'));
  clock.after(10, () => fired.push('second of 10'));
  clock.advance(9);
  expect([fired, clock.pending]).toEqual([[], 3]);
  clock.advance(11);
  expect([fired, clock.pending]).toEqual([['first of 10', 'second of 10', 'late'], 0]);
});

test('what a timer sets fires in the same stretch of time when it falls due, at its own time', () => {
  const clock = fakeClock();
  const at: number[] = [];
  const again = (): void => {
    at.push(clock.now);
    if (at.length < 5) clock.after(10, again);
  };
  clock.after(10, again);
  clock.advance(35);
  expect(at).toEqual([10, 20, 30]);
  expect(clock.now).toBe(35);
  expect(clock.delays).toEqual([10, 10, 10, 10]);
});

test('a timer that was cancelled, before or by another, does not fire', () => {
  const clock = fakeClock();
  const fired: string[] = [];
  const cancel = clock.after(10, () => fired.push('cancelled before'));
  clock.after(5, () => cancelOther());
  const cancelOther = clock.after(10, () => fired.push('cancelled by another'));
  cancel();
  clock.advance(100);
  expect([fired, clock.pending]).toEqual([[], 0]);
});
