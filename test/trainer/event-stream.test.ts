import { expect, test } from 'vitest';
import { EventStream } from '../../src/trainer/event-stream.js';
import type { TrainerEvent } from '../../src/trainer/index.js';

function rollouts(done: number): TrainerEvent {
  return { event: 'rollouts', mode: 'train', step: 1, done, total: 10_000 };
}

function step(step: number): TrainerEvent {
  return { event: 'step', step, epoch: 0, totalSteps: 10_000, metrics: {} };
}

async function rest(stream: EventStream, reader = stream.reader()): Promise<TrainerEvent[]> {
  stream.close();
  const events: TrainerEvent[] = [];
  for (let event = await reader.next(); event !== undefined; event = await reader.next()) events.push(event);
  return events;
}

test('a reader gets all events from when it asked, in order', async () => {
  const stream = new EventStream();
  stream.emit(step(1));
  const reader = stream.reader();
  stream.emit(step(2));
  stream.emit(step(3));
  expect(await rest(stream, reader)).toEqual([step(2), step(3)]);
});

test('a reader that waits is woken', async () => {
  const stream = new EventStream();
  const reader = stream.reader();
  const next = reader.next();
  stream.emit(step(1));
  expect(await next).toEqual(step(1));
});

test('of successive progress events a slow reader gets the newest', async () => {
  const stream = new EventStream();
  const reader = stream.reader();
  for (let i = 1; i <= 500; i++) stream.emit(rollouts(i));
  stream.emit(step(1));
  expect(await rest(stream, reader)).toEqual([rollouts(500), step(1)]);
});

test('a reader that never reads keeps every step and a bounded number of other events', async () => {
  const stream = new EventStream();
  const reader = stream.reader();
  for (let i = 1; i <= 900; i++) {
    stream.emit(rollouts(i));
    stream.emit(step(i));
  }
  const events = await rest(stream, reader);
  expect(events).toHaveLength(1000);
  expect(events.filter(({ event }) => event === 'step')).toHaveLength(900);
});

test('a reader that comes after the end gets nothing and ends', async () => {
  const stream = new EventStream();
  stream.close();
  expect(await stream.reader().next()).toBeUndefined();
});
