import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { episodeOf } from '../../src/testing/index.js';
import { type GradedRollout, passAtK, passMetrics, validationMetrics } from '../../src/trainer/index.js';
import { createEpisode } from '../../src/types/index.js';

interface GoldenCase {
  readonly nVal: number;
  readonly episodes: readonly GradedRollout[];
  readonly expected: Readonly<Record<string, number>>;
}

const golden = JSON.parse(readFileSync(new URL('../golden/validation.json', import.meta.url), 'utf8')) as {
  readonly cases: readonly GoldenCase[];
};

/** Rollouts of one task of one source, from their correctness. */
function rolloutsOf(taskId: string, correct: readonly number[], dataSource = 'gsm'): GradedRollout[] {
  return correct.map((one) => ({ taskId, dataSource, isCorrect: one === 1 }));
}

describe('pass@k', () => {
  test.each(golden.cases.map((one, i) => [i, one] as const))(
    'equals the reference in golden case %i, under the same names',
    (_, { nVal, episodes, expected }) => {
      const metrics = passMetrics(episodes, nVal);
      for (const [key, value] of Object.entries(expected)) expect(metrics[key], key).toBeCloseTo(value, 12);
      const extra = Object.keys(metrics).filter((key) => !(key in expected));
      expect(extra.every((key) => /^val\/.+\/pass@(2|4|8)$/.test(key))).toBe(true);
    },
  );

  test.each([
    [4, 1, 1, 0.25],
    [4, 1, 2, 0.5],
    [4, 1, 4, 1],
    [4, 0, 4, 0],
    [4, 4, 1, 1],
    [5, 2, 3, 0.9],
  ])('of %i rollouts with %i correct at k = %i is %f', (n, c, k, expected) => {
    expect(passAtK(n, c, k)).toBeCloseTo(expected, 14);
  });

  test('is the share of k-subsets with a correct rollout', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 9 }), fc.nat(9), fc.integer({ min: 1, max: 9 }), (n, c, k) => {
        fc.pre(c <= n && k <= n);
        expect(passAtK(n, c, k)).toBeCloseTo(shareOfSubsets(n, c, k), 12);
      }),
    );
  });

  test('counts only tasks with at least k rollouts', () => {
    const rollouts = [...rolloutsOf('a', [1, 0, 0]), ...rolloutsOf('b', [1, 1, 0, 0])];
    const metrics = passMetrics(rollouts, 4);
    expect(metrics['val/gsm/pass@1']).toBeCloseTo(3 / 7, 14);
    expect(metrics['val/gsm/pass@2']).toBeCloseTo((2 / 3 + 5 / 6) / 2, 14);
    expect(metrics['val/gsm/pass@4']).toBe(1);
  });

  test('has no metric for a k that no task reaches', () => {
    expect(Object.keys(passMetrics(rolloutsOf('a', [1, 0]), 8))).toEqual([
      'val/gsm/pass@1',
      'val/gsm/pass@2',
    ]);
  });

  test('keeps data sources apart', () => {
    const rollouts = [...rolloutsOf('a', [1], 'gsm'), ...rolloutsOf('b', [0], 'math')];
    expect(passMetrics(rollouts, 1)).toEqual({ 'val/gsm/pass@1': 1, 'val/math/pass@1': 0 });
  });
});

describe('validation metrics', () => {
  test('count a rollout without steps as wrong and as dropped', () => {
    const rollouts = [
      episodeOf({ taskId: 'a', isCorrect: true }),
      episodeOf({ taskId: 'b', isCorrect: true }),
      episodeOf({ taskId: 'c', isCorrect: false }),
      episodeOf({ taskId: 'd', rewards: {}, terminationReason: 'max_prompt_length_exceeded' }),
    ].map((episode) => ({ episode, dataSource: 'gsm' }));
    expect(validationMetrics(rollouts, 1)).toMatchObject({
      'val/gsm/pass@1': 0.5,
      'val/gsm/dropped': 1,
      'val/gsm/rollouts': 4,
      'val/gsm/tasks': 4,
    });
  });

  test('count episodes, not their segments', () => {
    const rollouts = [
      episodeOf({ taskId: 'a', rewards: { agent: [0, 0, 0, 0, 0] }, isCorrect: false }),
      episodeOf({ taskId: 'b', rewards: { agent: [1] }, isCorrect: true }),
    ].map((episode) => ({ episode, dataSource: 'gsm' }));
    expect(validationMetrics(rollouts, 1)['val/gsm/pass@1']).toBe(0.5);
  });

  test('average workflow metrics over the rollouts that have them, whatever their name', () => {
    const rollouts = [
      episodeOf({ taskId: 'a', metrics: { 'mini_solver/mean': 0, total: 1 } }),
      episodeOf({ taskId: 'b', metrics: { 'mini_solver/mean': 1 } }),
    ].map((episode) => ({ episode, dataSource: 'gsm' }));
    expect(validationMetrics(rollouts, 1)).toMatchObject({
      'val/gsm/mini_solver/mean': 0.5,
      'val/gsm/total': 1,
    });
  });

  test.each([
    ['sum', 6],
    ['min', 1],
    ['max', 3],
    ['mean', 2],
  ] as const)('reduce a workflow metric by the rule it was given with: %s', (rule, expected) => {
    const rollouts = [1, 2, 3].map((value, rolloutIndex) => ({
      episode: createEpisode({
        taskId: 'a',
        rolloutIndex,
        metrics: { 'agent/total': value },
        metricRules: { 'agent/total': rule },
      }),
      dataSource: 'gsm',
    }));
    expect(validationMetrics(rollouts, 3)['val/gsm/agent/total']).toBe(expected);
  });
});

/** By listing every k-subset of n rollouts of which the first c are correct. */
function shareOfSubsets(n: number, c: number, k: number): number {
  let hits = 0;
  let all = 0;
  for (let set = 0; set < 1 << n; set++) {
    const members = Array.from({ length: n }, (_, i) => i).filter((i) => ((set >> i) & 1) === 1);
    if (members.length !== k) continue;
    all++;
    if (members.some((i) => i < c)) hits++;
  }
  return hits / all;
}
