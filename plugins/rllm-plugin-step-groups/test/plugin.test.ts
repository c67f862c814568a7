import { createApp, definePlugin, defineWorkflow, type RllmConfigInput } from 'rllm-sdk';
import { inMemoryBackend } from 'rllm-sdk/testing';
import { describe, expect, test } from 'vitest';
import plugin from '../src/index.js';
import { appWith } from './support.js';

describe('the plugin', () => {
  test('brings its estimators and hooks by name', async () => {
    await using app = await appWith();
    const own = app.estimators.list().filter(({ owner }) => owner === 'rllm-plugin-step-groups');
    expect(own).toEqual([
      expect.objectContaining({ name: 'gigpo', perToken: true, requires: ['stepAnchors'], scope: 'group' }),
      expect.objectContaining({ name: 'step_reinforce', perToken: true, requires: ['stepAnchors'] }),
      expect.objectContaining({ name: 'per_step', perToken: true, requires: [] }),
      expect.objectContaining({ name: 'per_step_discounted', perToken: true, requires: [] }),
    ]);
    expect(app.groupingHooks.names()).toEqual(['task_role', 'by_metadata', 'hierarchical', 'by_step']);
  });

  test.each([
    {
      path: 'algorithm.estimatorOptions.gigpo',
      config: { algorithm: { estimatorOptions: { gigpo: { gama: 1 } } } },
    },
    {
      path: 'algorithm.estimatorOptions.gigpo.gamma',
      config: { algorithm: { estimatorOptions: { gigpo: { gamma: 2 } } } },
    },
    { path: 'transform.groupingOptions.by_metadata', config: { transform: { groupingHook: 'by_metadata' } } },
    {
      path: 'transform.groupingOptions.hierarchical.episodeRoles',
      config: { transform: { groupingOptions: { hierarchical: { episodeRoles: [] } } } },
    },
    {
      path: 'transform.groupingOptions.by_step.value',
      config: { transform: { groupingOptions: { by_step: { value: 'best' } } } },
    },
  ])('an option that cannot be is an error at start: $path', async ({ path, config }) => {
    await expect(appWith(config as RllmConfigInput)).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringContaining(path),
    });
  });
});

describe('a run', () => {
  /** Two doors, twice; each state is what has been opened. */
  const doors = defineWorkflow('doors', async (_task, { agent, mode }) => {
    const walker = agent('walker');
    const opened: string[] = [];
    for (let turn = 0; turn < 2; turn++) {
      const observation = { opened: [...opened] };
      const { content } = await walker.respond(`opened ${opened.join(' ')}`);
      if (walker.lastStep !== undefined) walker.lastStep.observation = observation;
      opened.push(content);
    }
    seen.push(mode);
    walker.reward(opened[0] === 'left' ? 1 : 0);
  });
  const seen: string[] = [];

  function run(transform: Record<string, unknown>, algorithm: Record<string, unknown>) {
    const backend = inMemoryBackend({ policy: ({ random }) => (random.next() < 0.5 ? 'left' : 'right') });
    const parts = definePlugin({ name: 'doors', apiVersion: 1, workflows: [doors], backends: [backend] });
    const app = createApp(
      {
        backend: 'in-memory',
        workflow: { use: 'doors' },
        rollout: { n: 8, nVal: 2 },
        data: { trainBatchSize: 1 },
        trainer: { totalEpochs: 1, testFreq: 1 },
        transform,
        algorithm,
      },
      { plugins: [plugin, parts], useDeclared: false, trainData: [{}], valData: [{}], run: null },
    );
    return { app, backend };
  }

  test('with gigpo gives steps of one trajectory different advantages, and says how many were compared', async () => {
    const { app, backend } = run({}, { estimator: 'gigpo' });
    await using opened = await app;
    const metrics: Record<string, number>[] = [];
    for await (const event of (await opened.trainer()).events())
      if (event.event === 'step') metrics.push(event.metrics);
    const [update] = backend.created[0]?.updates ?? [];
    const [first] = update?.groups[0]?.trajectories ?? [];
    const [opening, second] = (first?.advantages ?? []).map((advantage) => [advantage].flat()[0]);
    expect(opening).toBeTypeOf('number');
    expect(opening).not.toBe(second);
    expect(metrics[0]?.['step_groups/walker/shared_steps']).toBe(1);
  });

  test.each([
    ['bring their own advantages', 2, { usePrecomputedAdvantage: true }],
    ['are lone and get 0', 1, { loneTrajectory: 'zero' }],
  ])('with gigpo needs no states of groups that %s', async (_what, n, algorithm) => {
    const stateless = defineWorkflow('stateless', async (_task, { agent }) => {
      const walker = agent('walker');
      await walker.respond('x');
      if (walker.lastStep !== undefined && n > 1) walker.lastStep.advantage = 1;
      walker.reward(1);
    });
    const parts = definePlugin({
      name: 'stateless',
      apiVersion: 1,
      workflows: [stateless],
      backends: [inMemoryBackend({ policy: () => 'x' })],
    });
    await using app = await createApp(
      {
        backend: 'in-memory',
        workflow: { use: 'stateless' },
        rollout: { n },
        data: { trainBatchSize: 1 },
        trainer: { totalEpochs: 1 },
        rejectionSample: { minTrajsPerGroup: 1 },
        algorithm: { estimator: 'gigpo', ...algorithm },
      } as RllmConfigInput,
      { plugins: [plugin, parts], useDeclared: false, trainData: [{}], run: null },
    );
    const metrics: string[] = [];
    for await (const event of (await app.trainer()).events()) {
      if (event.event === 'step') metrics.push(...Object.keys(event.metrics));
    }
    expect(metrics).toContain('advantage/walker/mean');
    expect(metrics.filter((name) => name.startsWith('step_groups/'))).toEqual([]);
  });

  test('with by_step trains each step in its group, in training and in validation, and counts rollouts', async () => {
    const { app, backend } = run({ groupingHook: 'by_step' }, { estimator: 'grpo' });
    await using opened = await app;
    const events: Record<string, number>[] = [];
    seen.length = 0;
    for await (const event of (await opened.trainer()).events()) {
      if (event.event === 'step' || event.event === 'validation') events.push(event.metrics);
    }
    const [update] = backend.created[0]?.updates ?? [];
    expect(
      update?.groups.map(({ groupId, trajectories }) => [groupId.slice(-2), trajectories.length]),
    ).toEqual([
      ['#0', 8],
      ['#1', 8],
    ]);
    const metrics = Object.assign({}, ...events);
    expect(metrics).toMatchObject({ 'ledger/started': 8, 'ledger/trained': 8, 'grouping/num_groups': 2 });
    expect(metrics['val/grouping/num_groups']).toBe(2);
    expect(new Set(seen)).toEqual(new Set(['train', 'val']));
  });
});
