import { expect, test } from 'vitest';
import { PlainView } from '../../../src/cli/views/plain-view.js';
import { TestScreen } from './test-screen.js';

/** A view on a clock that stands at `clock.ms`. */
function setUp() {
  const screen = new TestScreen();
  const clock = { ms: 0 };
  const view = new PlainView(screen, () => clock.ms);
  view.show({ event: 'start', runId: 'r', runDirectory: 'runs/r', totalSteps: 1000, resumedFrom: 0 });
  const step = (number: number, atMs: number): void => {
    clock.ms = atMs;
    const metrics = { 'reward/player/mean': 0.5 };
    view.show({ event: 'step', step: number, epoch: 0, totalSteps: 1000, metrics });
  };
  const steps = (): number[] =>
    screen.rows.flatMap((row) => /^step\s+(\d+)/.exec(row)?.[1] ?? []).map(Number);
  return { screen, clock, view, step, steps };
}

test('the first steps, one in two seconds, and the last step are shown', () => {
  const { step, steps } = setUp();
  for (let i = 1; i <= 100; i++) step(i, i * 100);
  step(1000, 10_050);
  expect(steps()).toEqual([1, 2, 3, 23, 43, 63, 83, 1000]);
});

test('in a long run a line comes every thirty seconds', () => {
  const { step, steps } = setUp();
  for (let i = 1; i <= 3; i++) step(i, i);
  for (let i = 0; i < 12; i++) step(500 + i, 3_600_000 + i * 10_000);
  expect(steps()).toEqual([1, 2, 3, 500, 503, 506, 509]);
});

test('a line has the reward and the time left', () => {
  const { screen, step } = setUp();
  step(1, 100);
  expect(screen.rows[0]).toBe('step    1/1000  reward 0.500  eta 1:40');
});

test('two roles have their rewards side by side', () => {
  const { screen, view } = setUp();
  const metrics = { 'reward/solver/mean': 0.25, 'reward/judge/mean': 1 };
  view.show({ event: 'step', step: 1000, epoch: 0, totalSteps: 1000, metrics });
  expect(screen.rows[0]).toBe('step 1000/1000  reward solver 0.250 · judge 1.000');
});

test('a validation shows pass@1 by data source', () => {
  const { screen, view } = setUp();
  const metrics = { 'val/gsm/pass@1': 0.5, 'val/math/pass@1': 0.25, 'val/math/pass@4': 1 };
  view.show({ event: 'validation', step: 0, epoch: 0, metrics });
  expect(screen.rows[0]).toBe('validation at step 0  pass@1 gsm 50% · math 25%');
});

test('a warning is always shown, with its code', () => {
  const { screen, view } = setUp();
  view.show({ event: 'warning', code: 'NO_GROUPS', message: 'nothing to train on' });
  expect(screen.rows[0]).toBe('warning NO_GROUPS  nothing to train on');
});

test('a validation of more than two seconds says how far it is, and how it ended', () => {
  const { screen, clock, view, step } = setUp();
  step(1, 100);
  for (let done = 1; done <= 64; done++) {
    clock.ms = 10_000 + done * 100;
    view.show({ event: 'rollouts', step: 1, mode: 'val', done, total: 64 });
  }
  const metrics = { 'val/gsm/pass@1': 0.5 };
  view.show({ event: 'validation', step: 1, epoch: 0, metrics });
  expect(screen.rows.slice(1, -1)).toEqual([
    'validating 21/64',
    'validating 41/64',
    'validating 61/64',
    'validation at step 1  pass@1 50%',
  ]);
});

test('rollouts of training and a short validation add no lines', () => {
  const { screen, clock, view } = setUp();
  for (let done = 1; done <= 8; done++) {
    clock.ms += 1000;
    view.show({ event: 'rollouts', step: 1, mode: 'train', done, total: 8 });
  }
  for (let done = 1; done <= 8; done++)
    view.show({ event: 'rollouts', step: 1, mode: 'val', done, total: 8 });
  expect(screen.rows).toEqual(['']);
});
