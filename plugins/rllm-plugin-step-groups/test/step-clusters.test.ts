import { type RunControl, SILENT, type TrainerState } from 'rllm-sdk';
import { describe, expect, test } from 'vitest';
import { clusterMetrics } from '../src/cluster-metrics.js';
import { sharedSteps, stepClusters } from '../src/index.js';
import { appWith, groupOfSteps } from './support.js';

const shared = groupOfSteps([1, 0], [[[{ x: 1 }], ['b']], [[{ x: 1 }]]]);
const stamped = groupOfSteps([1, 0], [[[{ x: 1, at: 1 }]], [[{ x: 1, at: 2 }]]]);

describe('clusters of steps', () => {
  test('say which steps were taken in the same state, in the order of first occurrence', () => {
    expect(stepClusters([shared])).toEqual([
      [
        {
          anchor: '{"x":1}',
          members: [
            { trajectory: 0, step: 0 },
            { trajectory: 1, step: 0 },
          ],
        },
        { anchor: '"b"', members: [{ trajectory: 0, step: 1 }] },
      ],
    ]);
  });

  test.each([
    { what: 'two of three steps', groups: [shared], options: {}, expected: 2 / 3 },
    { what: 'none where timestamps count', groups: [stamped], options: {}, expected: 0 },
    { what: 'all where they do not', groups: [stamped], options: { ignoreKeys: ['at'] }, expected: 1 },
    { what: 'none of no steps', groups: [], options: {}, expected: 0 },
    {
      what: 'none across groups',
      groups: [groupOfSteps([1], [[['a']]]), groupOfSteps([1], [[['a']]])],
      options: {},
      expected: 0,
    },
  ])('shared by $what', ({ groups, options, expected }) => {
    expect(sharedSteps(stepClusters(groups, options))).toBe(expected);
  });

  test.each([
    {
      what: 'no observation',
      observation: undefined,
      message: 'Step 0 of trajectory "task:1:agent:0" in group "task:agent" has no observation',
    },
    {
      what: 'one that is no plain data',
      observation: new Map(),
      message:
        'Step 0 of trajectory "task:1:agent:0" in group "task:agent": an observation must be plain data; it holds an object of type Map',
    },
  ])('a step with $what is an error that names it', ({ observation, message }) => {
    expect(() => stepClusters([groupOfSteps([1, 0], [[['a']], [[observation]]])])).toThrow(message);
  });
});

describe('the metrics of a run', () => {
  async function afterBatches(estimator: string, batches: readonly TrainerState['trajectoryGroups'][]) {
    await using app = await appWith({ algorithm: { estimator } });
    const warnings: string[] = [];
    const logger = { ...SILENT, warn: (message: string) => void warnings.push(message) };
    const { onBatchEnd } = clusterMetrics(app.config.algorithm, logger);
    const metrics: Record<string, number> = {};
    const run: RunControl = { directory: '', stop: () => {}, checkpoint: async () => null };
    for (const trajectoryGroups of batches) {
      await onBatchEnd?.({ trajectoryGroups, metrics } as TrainerState, run);
    }
    return { metrics, warnings };
  }

  test('say how many steps were compared, for the estimators that compare states', async () => {
    expect(await afterBatches('gigpo', [[shared]])).toEqual({
      metrics: { 'step_groups/agent/shared_steps': 2 / 3, 'step_groups/agent/clusters': 2 },
      warnings: [],
    });
    expect(await afterBatches('grpo', [[shared]])).toEqual({ metrics: {}, warnings: [] });
  });

  test('come with one warning where no state is ever shared', async () => {
    const { metrics, warnings } = await afterBatches('step_reinforce', [[stamped], [stamped]]);
    expect(metrics['step_groups/agent/shared_steps']).toBe(0);
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain('"agent"');
  });
});
