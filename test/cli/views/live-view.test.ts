import { expect, test } from 'vitest';
import { LiveView } from '../../../src/cli/views/live-view.js';
import { TestScreen } from './test-screen.js';

function setUp() {
  const screen = new TestScreen();
  const clock = { ms: 0 };
  const view = new LiveView(screen, () => clock.ms, { mayStopEarly: false });
  view.show({ event: 'start', runId: 'r', runDirectory: 'runs/r', totalSteps: 4, resumedFrom: 0 });
  const step = (number: number): void => {
    clock.ms += 1000;
    view.show({
      event: 'step',
      step: number,
      epoch: 0,
      totalSteps: 4,
      metrics: { 'reward/player/mean': 0.5 },
    });
  };
  return { screen, clock, view, step };
}

test('one line is rewritten in place', () => {
  const { screen, step } = setUp();
  step(1);
  expect(screen.rows).toEqual(['step 1/4  ########----------------------  25%  reward 0.500  eta 3.0 s']);
  step(2);
  expect(screen.rows).toEqual(['step 2/4  ###############---------------  50%  reward 0.500  eta 2.0 s']);
});

test('rollouts move the bar within a step', () => {
  const { screen, clock, view, step } = setUp();
  step(1);
  clock.ms += 500;
  view.show({ event: 'rollouts', step: 2, mode: 'train', done: 4, total: 8 });
  expect(screen.rows[0]).toContain('38%');
});

test('validation shows how far it is', () => {
  const { screen, clock, view } = setUp();
  clock.ms += 500;
  view.show({ event: 'rollouts', step: 0, mode: 'val', done: 3, total: 7 });
  expect(screen.rows[0]).toMatch(/^validating 3\/7 /);
});

test('notes and warnings stay above the line', () => {
  const { screen, view, step } = setUp();
  step(1);
  view.note('saved');
  view.show({ event: 'warning', code: 'W', message: 'careful' });
  step(2);
  expect(screen.rows.slice(0, 2)).toEqual(['saved', 'warning W  careful']);
  expect(screen.rows[2]).toMatch(/^step 2\/4/);
});

test('a closed view leaves an empty line', () => {
  const { screen, view, step } = setUp();
  step(1);
  view.close();
  view.close();
  expect(screen.rows).toEqual(['']);
});

test('two events within a frame are drawn once', () => {
  const { screen, view, step } = setUp();
  step(1);
  view.show({ event: 'step', step: 2, epoch: 0, totalSteps: 4, metrics: {} });
  expect(screen.rows[0]).toMatch(/^step 1\/4/);
});

test('where there is only a validation, the bar is its own', () => {
  const screen = new TestScreen();
  const view = new LiveView(screen, () => 0, { mayStopEarly: false });
  view.show({ event: 'rollouts', step: 0, mode: 'val', done: 16, total: 64 });
  expect(screen.rows).toEqual(['validating 16/64  ########----------------------  25%']);
});
