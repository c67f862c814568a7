import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { type AdvantageBatch, AdvEstimator } from '../../src/advantage/index.js';
import { createApp } from '../../src/container/index.js';
import { GroupingHook } from '../../src/grouping/index.js';
import type { Logger } from '../../src/logger.js';
import { definePlugin, type PluginContext } from '../../src/plugin-host/index.js';
import { RewardFunction } from '../../src/reward/index.js';
import { inMemoryBackend } from '../../src/testing/index.js';
import type { WorkflowDefinition } from '../../src/workflow/index.js';
import { withoutNoOp } from '../no-op/without-no-op.js';
import { errorOf, inMemory, memoryPlugin, TRAINS } from './app-kit.js';

const estimator = AdvEstimator('set-up')((batch: AdvantageBatch) => ({ advantages: batch.rewards }));
const hook = GroupingHook('set-up-hook')(() => []);
const reward = RewardFunction('set-up-reward')(() => 1);
const source = { name: 'set-up-data', summary: '', open: () => [] };
const workflow: WorkflowDefinition = { name: 'set-up-flow', run: async () => undefined };
const tracker = {
  name: 'set-up-tracker',
  summary: '',
  create: () => ({ name: 'set-up-tracker', log() {}, finish() {} }),
};

describe('setup', () => {
  test('gets options by the schema, the config and the logger, and adds parts of every kind', async () => {
    const seen: unknown[] = [];
    const logger: Logger = { debug() {}, info() {}, warn() {}, error() {} };
    const plugin = definePlugin({
      name: 'p',
      apiVersion: 1,
      options: z.strictObject({ scale: z.number().default(2) }),
      setup(context) {
        seen.push(context.options, context.config.trainer.seed, context.logger);
        context.addEstimator(estimator);
        context.addGroupingHook(hook);
        context.addWorkflow(workflow);
        context.addTracker(tracker);
        context.addBackend(inMemoryBackend({ policy: () => 'yes', name: 'set-up-backend' }));
        context.addReward(reward);
        context.addDataset(source);
        context.addCommand({ name: 'set-up', summary: '', run: async () => undefined });
        context.addHooks({ onTrainStart() {} });
        context.bind(Symbol.for('set-up/Part'), { value: 1 });
      },
    });
    const config = {
      algorithm: { estimator: 'set-up' },
      transform: { groupingHook: 'set-up-hook' },
      workflow: { use: 'set-up-flow' },
      tracking: { trackers: ['set-up-tracker'] },
      backend: 'set-up-backend',
      trainer: { seed: 9 },
    };
    await using app = await createApp(config, {
      plugins: [{ use: plugin, options: {} }],
      useDeclared: false,
      complete: true,
      logger,
    });
    expect(seen).toEqual([{ scale: 2 }, 9, logger]);
    expect(app.plugins[0]?.brings).toEqual({
      estimators: ['set-up'],
      groupingHooks: ['set-up-hook'],
      backends: ['set-up-backend'],
      workflows: ['set-up-flow'],
      rewards: ['set-up-reward'],
      datasets: ['set-up-data'],
      trackers: ['set-up-tracker'],
      commands: ['set-up'],
      hooks: ['onTrainStart'],
      bindings: ['set-up/Part'],
    });
  });

  test('what it takes the place of is told by kind, be it a built-in part or that of another plugin', async () => {
    const grpo = AdvEstimator('grpo', { override: true })(({ rewards }) => ({ advantages: rewards }));
    const late = RewardFunction('set-up-reward', { override: true })(() => 2);
    const first = definePlugin({ name: 'first', apiVersion: 1, estimators: [grpo], rewards: [reward] });
    const second = definePlugin({ name: 'second', apiVersion: 1, setup: ({ addReward }) => addReward(late) });
    await using app = await createApp(TRAINS, inMemory({ plugins: [memoryPlugin(), first, second] }));
    expect(
      withoutNoOp(app.plugins).map(({ overrides }) => [overrides.estimators, overrides.rewards]),
    ).toEqual([
      [[], []],
      [['grpo'], []],
      [[], ['set-up-reward']],
    ]);
  });

  test('two plugins may not share a command, and the app lists each with its owner', async () => {
    const sing = { name: 'sing', summary: '', run: async () => undefined };
    const first = definePlugin({ name: 'first', apiVersion: 1, version: '1.0.0', commands: [sing] });
    const second = definePlugin({ name: 'second', apiVersion: 1, commands: [{ ...sing }] });
    const error = await errorOf(createApp(TRAINS, inMemory({ plugins: [memoryPlugin(), first, second] })));
    expect(error.message).toContain('Two parts bring the command "sing": first@1.0.0 and second');
    await using app = await createApp(TRAINS, inMemory({ plugins: [memoryPlugin(), first] }));
    expect(app.commands.list()).toEqual([{ name: 'sing', value: sing, owner: 'first@1.0.0' }]);
  });

  test.each<{ what: string; setup: (context: PluginContext) => void; says: string }>([
    {
      what: 'an estimator without a name',
      setup: (c) => c.addEstimator((b) => ({ advantages: b.rewards })),
      says: 'has no name',
    },
    {
      what: 'a backend without create',
      setup: (c) => c.addBackend({ name: 'b' } as never),
      says: 'needs create()',
    },
    {
      what: 'nothing for a workflow',
      setup: (c) => c.addWorkflow(undefined as never),
      says: 'must be an object',
    },
    {
      what: 'a hook of another name',
      setup: (c) => c.addHooks({ onTrainStrat() {} } as never),
      says: 'is no hook',
    },
    {
      what: 'a name that is taken',
      setup: (c) => c.addBackend(inMemoryBackend({ policy: () => '', name: 'local' })),
      says: 'built-in and p',
    },
  ])('that adds $what is a fault of its plugin', async ({ setup, says }) => {
    const error = await errorOf(
      createApp({}, { plugins: [definePlugin({ name: 'p', apiVersion: 1, setup })], useDeclared: false }),
    );
    expect(error.code).toBe('PLUGIN_INVALID');
    expect(error.message).toContain('Plugin "p"');
    expect(error.message).toContain(says);
  });

  test('cannot add anything once it has ended', async () => {
    let kept: PluginContext | undefined;
    const plugin = definePlugin({
      name: 'p',
      apiVersion: 1,
      setup: (context) => {
        kept = context;
      },
    });
    await using _ = await createApp({}, { plugins: [plugin], useDeclared: false });
    expect(() => kept?.addHooks({ onTrainEnd() {} })).toThrow(
      expect.objectContaining({ code: 'REGISTRY_FROZEN' }),
    );
  });
});

describe('lifecycle hooks', () => {
  test('are called in the order of the plugins, and one that throws stops the run with the name of its plugin', async () => {
    const calls: string[] = [];
    const listening = (name: string, failure?: Error) =>
      definePlugin({
        name,
        apiVersion: 1,
        hooks: {
          onTrainStart: () => void calls.push(`${name} starts`),
          onBatchEnd: () => {
            calls.push(`${name} batch`);
            if (failure !== undefined) throw failure;
          },
        },
      });
    const plugins = [memoryPlugin(), listening('a'), listening('b', new Error('too slow'))];
    await using app = await createApp(TRAINS, inMemory({ plugins }));
    const error = await errorOf((await app.trainer()).fit());
    expect(error.code).toBe('HOOK_FAILED');
    expect(error.message).toContain('"b"');
    expect(calls).toEqual(['a starts', 'b starts', 'a batch', 'b batch']);
  });
});
