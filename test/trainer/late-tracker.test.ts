import { setImmediate as nextTick } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { fakeClock } from '../../src/testing/index.js';
import type { Tracker, TrackerDefinition } from '../../src/tracking/index.js';
import { collect, tiny } from './tiny-run.js';

/** The eight steps of a tiny run, and what a tracker was told: steps, then the status. */
function told(log: (step: number) => void | Promise<void>): {
  readonly taken: (number | string)[];
  readonly definition: TrackerDefinition;
} {
  const taken: (number | string)[] = [];
  const tracker: Tracker = {
    name: 'slow',
    async log({ step, kind }) {
      if (kind === 'val') return;
      await log(step);
      taken.push(step);
    },
    finish: (status) => void taken.push(status),
  };
  return { taken, definition: { name: 'slow', summary: '', create: () => tracker } };
}

test('a tracker that is late holds the run up once, and gets every record in order', async () => {
  const clock = fakeClock();
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const { taken, definition } = told((step) => (step === 2 ? held : undefined));
  const steps: number[] = [];
  const { trainer } = tiny({
    trackers: [definition],
    clock,
    hooks: [{ plugin: 'p', hooks: { onBatchEnd: ({ globalStep }) => void steps.push(globalStep) } }],
  });
  const events = collect(trainer);
  await expect.poll(() => taken.length).toBe(1);
  await expect.poll(() => clock.delays.length > 0 && steps.length).toBe(2);
  clock.advance(10_000);
  await expect.poll(() => steps.at(-1)).toBe(8);
  expect(taken).toEqual([1]);
  release();
  expect((await events).flatMap((event) => (event.event === 'warning' ? [event] : []))).toEqual([
    {
      event: 'warning',
      code: 'TRACKER_FAILED',
      message:
        'The tracker "slow" is late, the run goes on without it: it had not ended 10 s after it was called',
    },
  ]);
  expect(taken).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 'completed']);
  expect(clock.pending).toBe(0);
});

test('a tracker that never ends costs two warnings and never the run', async () => {
  const clock = fakeClock();
  const { taken, definition } = told(() => new Promise<void>(() => undefined));
  const { trainer } = tiny({ trackers: [definition], clock });
  const events = collect(trainer);
  let isOver = false;
  void events.finally(() => {
    isOver = true;
  });
  while (!isOver) {
    clock.advance(10_000);
    await nextTick();
  }
  const all = await events;
  expect(all.at(-1)).toMatchObject({ event: 'end', status: 'completed' });
  expect(all.flatMap((event) => (event.event === 'warning' ? [event.message] : []))).toEqual([
    expect.stringContaining('is late, the run goes on without it'),
    'The tracker "slow" may lack what it was told last: it had not ended 10 s after it was called',
  ]);
  expect(taken).toEqual([]);
});
