import { describe, expect, test } from 'vitest';
import { RllmError } from '../../src/errors.js';
import { InMemoryBackend } from '../../src/testing/index.js';
import { HookCalls } from '../../src/trainer/hook-calls.js';
import { Lifecycle } from '../../src/trainer/lifecycle.js';
import { newProgress } from '../../src/trainer/run-progress.js';
import { RunSteering } from '../../src/trainer/run-steering.js';
import type { Episode, LifecycleHooks, TrainerState } from '../../src/types/index.js';
import { SYSTEM_CLOCK } from '../../src/workflow/index.js';
import { learner, tiny, tinyConfig } from './tiny-run.js';

const ONE_STEP = { trainer: { totalEpochs: 0, totalBatches: 1, testFreq: 0, valBeforeTrain: false } };

/** Whether each step of the groups has an advantage. */
function areAdvantagesSet(state: TrainerState): boolean {
  const steps = state.trajectoryGroups.flatMap(({ trajectories }) => trajectories.flatMap((t) => t.steps));
  return steps.length > 0 && steps.every(({ advantage }) => advantage !== undefined);
}

describe('a step', () => {
  test('calls its hooks in order, each with what is known by then', async () => {
    const seen: string[] = [];
    const hooks: LifecycleHooks = {
      onBatchStart: () => void seen.push('batch start'),
      onGroups: (state) =>
        void seen.push(`groups: ${state.trajectoryGroups.length}, ${areAdvantagesSet(state)}`),
      onUpdateStart: (state) => {
        seen.push(`update start: ${areAdvantagesSet(state)}, ${'update_policy' in state.timings}`);
      },
      onUpdateEnd: (state) => void seen.push(`update end: ${'update_policy' in state.timings}`),
      onBatchEnd: () => void seen.push('batch end'),
    };
    await tiny({ config: ONE_STEP, hooks: [{ plugin: 'mine', hooks }] }).trainer.fit();
    expect(seen).toEqual([
      'batch start',
      'groups: 2, false',
      'update start: true, false',
      'update end: true',
      'batch end',
    ]);
  });

  test('of which nothing is left calls onGroups and no hook of the update', async () => {
    const seen: string[] = [];
    const hooks: LifecycleHooks = {
      onGroups: ({ trajectoryGroups }) => void seen.push(`${trajectoryGroups.length} groups`),
      onUpdateStart: () => void seen.push('update start'),
      onUpdateEnd: () => void seen.push('update end'),
    };
    const config = { ...ONE_STEP, rejectionSample: { mode: 'group' as const } };
    await tiny({ config, policy: () => 'yes', hooks: [{ plugin: 'mine', hooks }] }).trainer.fit();
    expect(seen).toEqual(['0 groups']);
  });

  test('of a dry run updates nothing, and so calls no hook of the update', async () => {
    const seen: string[] = [];
    const hooks: LifecycleHooks = {
      onGroups: () => void seen.push('groups'),
      onUpdateStart: () => void seen.push('update start'),
      onUpdateEnd: () => void seen.push('update end'),
    };
    await tiny({ hooks: [{ plugin: 'mine', hooks }] }).trainer.dryRun();
    expect(seen).toEqual(['groups']);
  });
});

test('hooks that are an instance of a class keep their state', async () => {
  class Counter implements LifecycleHooks {
    #steps = 0;
    rollouts = 0;
    onBatchEnd({ metrics }: TrainerState): void {
      metrics['counter/steps'] = ++this.#steps;
      metrics['counter/rollouts'] = this.rollouts;
    }
    async onRolloutEnd(): Promise<void> {
      this.rollouts++;
    }
  }
  const config = { trainer: { ...ONE_STEP.trainer, totalBatches: 3 } };
  const { lastStep } = await tiny({
    config,
    hooks: [{ plugin: 'counter', hooks: new Counter() }],
  }).trainer.fit();
  expect(lastStep).toMatchObject({ 'counter/steps': 3, 'counter/rollouts': 24 });
});

describe('the backend', () => {
  test('is called before every plugin, and no policy covers its hooks', async () => {
    const seen: string[] = [];
    class Hooked extends InMemoryBackend {
      onBatchStart(): Promise<void> {
        seen.push(`backend "${this.name}"`);
        return Promise.resolve();
      }
      onBatchEnd(): Promise<void> {
        return Promise.reject(new Error('out of memory'));
      }
    }
    const hooks: LifecycleHooks = { onBatchStart: () => void seen.push('plugin') };
    const config = { trainer: { ...ONE_STEP.trainer, hooks: { onError: 'warn' as const } } };
    const backend = new Hooked({ policy: learner }, 0);
    const { trainer } = tiny({ config, backend, hooks: [{ plugin: 'mine', hooks }] });
    await expect(trainer.fit()).rejects.toMatchObject({
      code: 'BACKEND_FAILED',
      message: 'The backend "in-memory" failed in onBatchEnd: out of memory',
    });
    expect(seen).toEqual(['backend "in-memory"', 'plugin']);
  });
});

describe('a point to which nobody listens', () => {
  const { state } = newProgress();
  /** Fails the test when it is walked over. */
  const unread = new Proxy<Episode[]>([], {
    get() {
      throw new Error('the rollouts were walked over');
    },
  });

  function lifecycleOf(...hooks: readonly LifecycleHooks[]): Lifecycle {
    const calls = new HookCalls({
      policy: tinyConfig().trainer.hooks,
      steering: new RunSteering(),
      clock: SYSTEM_CLOCK,
      now: Date.now,
      abort: new AbortController().signal,
      warn() {},
    });
    const plugins = hooks.map((one, i) => ({ plugin: `p${i}`, hooks: one }));
    return new Lifecycle(new InMemoryBackend({ policy: learner }, 0), plugins, calls);
  }

  test('makes no promise: it returns the same one each time, at every point', () => {
    const lifecycle = lifecycleOf({}, { onTrainStart() {} });
    const returned = [
      lifecycle.batchStart(state),
      lifecycle.batchEnd(state),
      lifecycle.epochStart(state),
      lifecycle.epochEnd(state),
      lifecycle.groups(state),
      lifecycle.updateStart(state),
      lifecycle.updateEnd(state),
      lifecycle.validationEnd(state, {}),
      lifecycle.checkpoint(state, '/run'),
      lifecycle.trainEnd(state),
      lifecycle.rolloutsEnd(unread),
    ];
    expect(new Set(returned).size).toBe(1);
    expect(returned).not.toContain(lifecycle.trainStart(state));
  });

  test('is found when the run is put together: what is added to the hooks later is not called', async () => {
    const hooks: LifecycleHooks = {};
    const lifecycle = lifecycleOf(hooks);
    hooks.onGroups = () => {
      throw new RllmError('USAGE', 'called');
    };
    await lifecycle.groups(state);
    await expect(lifecycleOf(hooks).groups(state)).rejects.toMatchObject({ code: 'HOOK_FAILED' });
  });

  test('walks over no rollout, and one that somebody listens to walks over each', async () => {
    await lifecycleOf({ onBatchEnd() {} }).rolloutsEnd(unread);
    await expect(lifecycleOf({ onRolloutEnd() {} }).rolloutsEnd(unread)).rejects.toThrow('walked over');
  });
});
