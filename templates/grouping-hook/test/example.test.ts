import { episodeOf, testGroupingHook } from 'rllm-sdk/testing';
import { describe, expect, test } from 'vitest';
import { ExampleGrouping } from '../src/index.js';

describe('what every grouping hook must do', () => testGroupingHook(ExampleGrouping));

test('tasks of one level are compared, and a task without a level is by itself', () => {
  const episodes = [
    { ...episodeOf({ taskId: 'a' }), task: { level: 1 } },
    { ...episodeOf({ taskId: 'b' }), task: { level: 1 } },
    { ...episodeOf({ taskId: 'c' }), task: { level: 2 } },
    { ...episodeOf({ taskId: 'd' }), task: {} },
  ];
  const groups = new ExampleGrouping().group(episodes, undefined);
  expect(groups.map(({ metadata }) => metadata.map(({ taskId }) => taskId))).toEqual([
    ['a', 'b'],
    ['c'],
    ['d'],
  ]);
});
