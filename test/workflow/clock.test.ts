import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { stream } from '../../src/random.js';
import { SYSTEM_CLOCK } from '../../src/workflow/index.js';
import { retryDelayMs } from '../../src/workflow/retry-delay.js';

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

test('a deadline longer than the timers of Node can hold does not fire at once', () => {
  let fired = 0;
  SYSTEM_CLOCK.after(2 ** 32, () => fired++);
  vi.advanceTimersByTime(2 ** 32 - 1);
  expect(fired).toBe(0);
  vi.advanceTimersByTime(1);
  expect(fired).toBe(1);
});

test('a deadline that was cancelled never fires, however long it is', () => {
  let fired = 0;
  const cancel = SYSTEM_CLOCK.after(2 ** 32, () => fired++);
  vi.advanceTimersByTime(2 ** 31);
  cancel();
  vi.advanceTimersByTime(2 ** 33);
  expect(fired).toBe(0);
});

test('a pause before a retry grows to a minute and no further, unless its base is longer', () => {
  const random = stream(0, 'test');
  expect(retryDelayMs(500, 40, random)).toBe(60_000);
  expect(retryDelayMs(100_000, 40, random)).toBe(150_000);
  expect(retryDelayMs(0, 3, random)).toBe(0);
});
