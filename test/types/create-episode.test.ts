import { describe, expect, test } from 'vitest';
import {
  copyPlain,
  createEpisode,
  createStep,
  createTrajectory,
  DEFAULT_TRAJECTORY_NAME,
} from '../../src/types/index.js';

describe('createEpisode', () => {
  test('needs an identity and fills the rest', () => {
    expect(createEpisode({ taskId: 't', rolloutIndex: 2 })).toStrictEqual({
      id: 't:2',
      taskId: 't',
      rolloutIndex: 2,
      task: null,
      isCorrect: false,
      trajectories: [],
      metrics: {},
      info: {},
    });
  });
});

describe('createTrajectory', () => {
  test('is unnamed, empty and without a reward', () => {
    const { uid, ...rest } = createTrajectory();
    expect(uid).toMatch(/^[0-9a-f-]{36}$/);
    expect(rest).toStrictEqual({ name: DEFAULT_TRAJECTORY_NAME, steps: [], info: {} });
  });

  test('keeps the steps given in a list of its own', () => {
    const steps = [createStep()];
    const trajectory = createTrajectory({ steps });
    trajectory.steps.push(createStep());
    expect(steps).toHaveLength(1);
    expect(trajectory.steps[0]).toBe(steps[0]);
  });
});

describe('copyPlain', () => {
  test('copies lists and literals, and keeps everything else as it is', () => {
    class Board {
      cells = [1];
    }
    const board = new Board();
    const now = new Date(0);
    const act = (): void => {};
    const before = { list: [{ x: 1 }, 2, null], board, now, act, none: undefined };
    const after = copyPlain(before);
    expect(after).toStrictEqual(before);
    expect(after.list[0]).not.toBe(before.list[0]);
    expect(after.board).toBe(board);
    expect(after.now).toBe(now);
    expect(after.act).toBe(act);
  });

  test('keeps a key named __proto__ as data', () => {
    const before = JSON.parse('{"__proto__":{"deep":[1]}}') as Record<string, unknown>;
    const after = copyPlain(before);
    expect(JSON.stringify(after)).toBe('{"__proto__":{"deep":[1]}}');
    expect('deep' in after).toBe(false);
  });
});
