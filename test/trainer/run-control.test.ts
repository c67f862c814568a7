import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { RunFolder, type TrainerEvent } from '../../src/trainer/index.js';
import type { LifecycleHooks, RunControl } from '../../src/types/index.js';
import { collect, newRun, readNumbers, tempFolders, tiny } from './tiny-run.js';

const folders = tempFolders();
afterEach(() => folders.clear());
const place = async (): Promise<string> => join(await folders.make(), 'run');

async function manifestOf(directory: string): Promise<Record<string, unknown>> {
  return JSON.parse(await readFile(join(directory, 'manifest.json'), 'utf8')) as Record<string, unknown>;
}

const mine = (hooks: LifecycleHooks) => [{ plugin: 'mine', hooks }];

describe('stop', () => {
  const stopsAt = (step: number): LifecycleHooks => ({
    onBatchEnd({ globalStep }, run) {
      if (globalStep === step) run.stop('it is good enough');
    },
  });
  const stopped = { by: 'mine', reason: 'it is good enough' };

  test('ends the run after the step at hand, as completed, saved and validated', async () => {
    const run = await newRun(await place());
    const events = await collect(tiny({ run, hooks: mine(stopsAt(3)) }).trainer);
    const end = events.at(-1) as Extract<TrainerEvent, { event: 'end' }>;
    expect(end.summary).toMatchObject({ status: 'completed', steps: 3, stopped });
    expect(end.summary.checkpoint).toBe(join(run.directory, 'checkpoints', 'step-000003'));
    expect(events.filter(({ event }) => event === 'stop')).toEqual([{ event: 'stop', step: 3, ...stopped }]);
    expect(events.filter(({ event }) => event === 'validation').at(-1)).toMatchObject({ step: 3 });
    expect((await manifestOf(run.directory))['ended']).toEqual({
      time: expect.any(String),
      status: 'completed',
      step: 3,
      stopped,
      error: null,
    });
  });

  test.each([
    ['onTrainStart', 0],
    ['onEpochStart', 1],
    ['onBatchStart', 1],
    ['onRolloutEnd', 0],
    ['onGroups', 1],
    ['onUpdateStart', 1],
    ['onUpdateEnd', 1],
    ['onEpochEnd', 4],
    ['onCheckpoint', 3],
    ['onValidationStart', 0],
    ['onValidationEnd', 0],
  ] as const)('asked for by %s ends the run after %i steps', async (point, steps) => {
    const hooks: LifecycleHooks = {
      [point]: (...args: readonly unknown[]) => (args.at(-1) as RunControl).stop('enough'),
    };
    const run = await newRun(await place());
    const summary = await tiny({ run, hooks: mine(hooks) }).trainer.fit();
    expect(summary).toMatchObject({ status: 'completed', steps, stopped: { by: 'mine', reason: 'enough' } });
  });

  test('tells the first plugin that asked, and its reason', async () => {
    const hooks = ['first', 'second'].map((plugin) => ({
      plugin,
      hooks: { onBatchEnd: (_state, run) => run.stop(`${plugin} had enough`) } satisfies LifecycleHooks,
    }));
    const events = await collect(tiny({ hooks }).trainer);
    expect(events.filter(({ event }) => event === 'stop')).toHaveLength(1);
    expect(events.at(-1)).toMatchObject({
      summary: { stopped: { by: 'first', reason: 'first had enough' } },
    });
  });

  test.each([[undefined], [''], [7]])('takes %j for no reason', async (reason) => {
    const hooks: LifecycleHooks = { onBatchEnd: (_state, run) => run.stop(reason as string) };
    const { stopped } = await tiny({ hooks: mine(hooks) }).trainer.fit();
    expect(stopped).toEqual({ by: 'mine', reason: 'no reason was given' });
  });

  test('says nothing of a run that ends anyway: at its last step, at its goal, or at its end', async () => {
    const atLast = await tiny({ hooks: mine(stopsAt(8)) }).trainer.fit();
    const config = { trainer: { stopWhen: { metric: 'progress/batch', atLeast: 2 } } };
    const atGoal = await tiny({
      config,
      hooks: mine({ onEpochEnd: (_state, run) => run.stop('late') }),
    }).trainer.fit();
    const atEnd = await tiny({
      hooks: mine({ onTrainEnd: (_state, run) => run.stop('late') }),
    }).trainer.fit();
    expect([atLast, atGoal, atEnd].map(({ stopped }) => stopped)).toEqual([null, null, null]);
    expect([atLast, atGoal, atEnd].map(({ steps }) => steps)).toEqual([8, 2, 8]);
  });

  test('retrains nothing when the run is resumed: it goes on, and hooks decide anew', async () => {
    const whole = await place();
    await tiny({ run: await newRun(whole) }).trainer.fit();
    const directory = await place();
    const first = await tiny({ run: await newRun(directory), hooks: mine(stopsAt(4)) }).trainer.fit();
    expect(first.steps).toBe(4);
    const events = await collect(
      tiny({ run: await RunFolder.resume(directory), hooks: mine(stopsAt(4)) }).trainer,
    );
    const steps = events.flatMap((event) => (event.event === 'step' ? [event.step] : []));
    expect(steps).toEqual([5, 6, 7, 8]);
    expect(events.at(-1)).toMatchObject({ status: 'completed', summary: { stopped: null } });
    expect(await readNumbers(directory)).toEqual(await readNumbers(whole));
    expect((await manifestOf(directory))['resumed']).toMatchObject([
      { step: 4, ended: { status: 'completed', stopped } },
    ]);
  });

  test('does nothing to a validation alone, which has no folder either', async () => {
    const seen: unknown[] = [];
    const hooks: LifecycleHooks = {
      async onValidationEnd(_state, _metrics, run) {
        run.stop('enough');
        seen.push(run.directory, await run.checkpoint());
      },
    };
    const metrics = await tiny({ run: await newRun(await place()), hooks: mine(hooks) }).trainer.validate();
    expect(metrics['val/unknown/pass@1']).toBeDefined();
    expect(seen).toEqual(['', null]);
  });
});

describe('checkpoint', () => {
  /** Asks at a point, at each of its calls. */
  function asking(point: keyof LifecycleHooks): { readonly hooks: LifecycleHooks; readonly got: unknown[] } {
    const got: unknown[] = [];
    const ask = async (...args: readonly unknown[]): Promise<void> => {
      const directory = await (args.at(-1) as RunControl).checkpoint();
      got.push(directory === null ? null : directory.split('/').at(-1));
    };
    return { hooks: { [point]: ask }, got };
  }
  const config = { trainer: { saveFreq: 0, testFreq: 3 } };

  test.each([
    ['onTrainStart', [null]],
    ['onEpochStart', [0, 4]],
    ['onEpochEnd', [4, 8]],
    ['onValidationStart', [0, 3, 6, 8]],
    ['onValidationEnd', [0, 3, 6, 8]],
    ['onCheckpoint', [8]],
    ['onTrainEnd', [8]],
  ] as const)('asked for by %s is that of the step at hand', async (point, steps) => {
    const { hooks, got } = asking(point);
    const run = await newRun(await place(), config);
    const saved = await collect(tiny({ config, run, hooks: mine(hooks) }).trainer);
    const names = steps.map((step) => (step === null ? null : `step-00000${step}`));
    expect(got).toEqual(names);
    const events = saved.flatMap((event) => (event.event === 'checkpoint' ? [event.step] : []));
    expect(events).toEqual([...new Set([...steps.filter((step) => step !== null), 8])]);
    expect(await readdir(join(run.directory, 'checkpoints'))).toEqual(
      events.map((step) => `step-00000${step}`),
    );
  });

  test('at the start of a resumed run is the one that it goes on from', async () => {
    const directory = await place();
    const stop: LifecycleHooks = {
      onBatchEnd({ globalStep }, run) {
        if (globalStep === 3) run.stop('pause');
      },
    };
    await tiny({ config, run: await newRun(directory, config), hooks: mine(stop) }).trainer.fit();
    const { hooks, got } = asking('onTrainStart');
    await tiny({ config, run: await RunFolder.resume(directory), hooks: mine(hooks) }).trainer.fit();
    expect(got).toEqual(['step-000003']);
  });

  test.each([
    'onBatchStart',
    'onRolloutEnd',
    'onGroups',
    'onUpdateStart',
    'onUpdateEnd',
    'onBatchEnd',
  ] as const)('is refused to %s, with the names of plugin and hook', async (point) => {
    const { hooks } = asking(point);
    const quiet = { trainer: { ...config.trainer, valBeforeTrain: false } };
    const { trainer } = tiny({ config: quiet, run: await newRun(await place(), quiet), hooks: mine(hooks) });
    const thrown = await trainer.fit().catch((cause: unknown) => cause);
    expect(thrown).toMatchObject({ code: 'HOOK_FAILED', details: { plugin: 'mine', hook: point } });
    expect(String(thrown)).toMatch(new RegExp(`plugin "mine" asked for a checkpoint in its hook ${point}`));
  });

  test('is refused after the hook has ended, and after a step that failed', async () => {
    let kept: RunControl | undefined;
    const late: LifecycleHooks = {
      onTrainStart(_state, run) {
        kept = run;
      },
      async onEpochEnd() {
        await kept?.checkpoint();
      },
    };
    await expect(
      tiny({ config, run: await newRun(await place(), config), hooks: mine(late) }).trainer.fit(),
    ).rejects.toMatchObject({
      code: 'HOOK_FAILED',
      message: expect.stringContaining('after its hook onTrainStart had ended'),
    });
    const failing: LifecycleHooks = {
      onGroups() {
        throw new Error('first');
      },
      async onTrainEnd(_state, run) {
        await run.checkpoint();
      },
    };
    const events: TrainerEvent[] = [];
    const { trainer } = tiny({ config, run: await newRun(await place(), config), hooks: mine(failing) });
    const reading = (async () => {
      for await (const event of trainer.events()) events.push(event);
    })();
    await expect(reading).rejects.toMatchObject({ message: expect.stringContaining('first') });
    expect(events).toContainEqual({
      event: 'warning',
      code: 'HOOK_FAILED',
      message: expect.stringContaining('asked for a checkpoint in its hook onTrainEnd'),
    });
  });

  test('is null where nothing is written, and where the backend has none', async () => {
    const nowhere = asking('onEpochEnd');
    await tiny({ config, hooks: mine(nowhere.hooks) }).trainer.fit();
    expect(nowhere.got).toEqual([null, null]);
  });

  test('is shared by all who ask, and waited for when the hook does not', async () => {
    const got: (string | null)[] = [];
    const hooks: LifecycleHooks = {
      onEpochEnd(_state, run) {
        // Neither is awaited here.
        for (const asked of [run.checkpoint(), run.checkpoint()]) void asked.then((at) => got.push(at));
      },
    };
    const run = await newRun(await place(), config);
    const events = await collect(tiny({ config, run, hooks: mine(hooks) }).trainer);
    const order = events.flatMap((e) =>
      e.event === 'step' || e.event === 'checkpoint' ? [`${e.event} ${e.step}`] : [],
    );
    expect(order.slice(0, 6)).toEqual(['step 1', 'step 2', 'step 3', 'step 4', 'checkpoint 4', 'step 5']);
    expect(got.map((at) => at?.split('/').at(-1))).toEqual([
      'step-000004',
      'step-000004',
      'step-000008',
      'step-000008',
    ]);
  });

  test.each([0, 3, 6] as const)(
    'saved by a validation at step %i is resumed digit for digit',
    async (atStep) => {
      const whole = await place();
      await tiny({ config, run: await newRun(whole, config) }).trainer.fit();
      const directory = await place();
      const { hooks } = asking('onValidationEnd');
      await tiny({ config, run: await newRun(directory, config), hooks: mine(hooks) }).trainer.fit();
      expect(await readNumbers(directory)).toEqual(await readNumbers(whole));
      const checkpoint = join(directory, 'checkpoints', `step-00000${atStep}`);
      const events = await collect(tiny({ config, run: await RunFolder.resume(checkpoint) }).trainer);
      expect(events[0]).toMatchObject({ event: 'start', resumedFrom: atStep });
      expect(events.filter(({ event }) => event === 'step')).toHaveLength(8 - atStep);
      expect(await readNumbers(directory)).toEqual(await readNumbers(whole));
    },
  );

  test('is as a later due one would have been: files of both are equal', async () => {
    const due = { trainer: { saveFreq: 4, testFreq: 3 } };
    const [byPlan, byHook] = [await place(), await place()];
    await tiny({ config: due, run: await newRun(byPlan, due) }).trainer.fit();
    const { hooks } = asking('onEpochEnd');
    await tiny({ config, run: await newRun(byHook, config), hooks: mine(hooks) }).trainer.fit();
    const stateOf = async (directory: string): Promise<object> => {
      const file = join(directory, 'checkpoints', 'step-000004', 'trainer.json');
      const { state } = JSON.parse(await readFile(file, 'utf8')) as { state: { metricsBytes: number } };
      // The length of the metrics file depends on how long the times in it are.
      return { ...state, metricsBytes: 0, lastStep: 0, lastValidation: 0 };
    };
    expect(await stateOf(byHook)).toEqual(await stateOf(byPlan));
  });
});
