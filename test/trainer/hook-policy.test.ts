import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { RllmError } from '../../src/errors.js';
import { type FakeClock, fakeClock } from '../../src/testing/fake-clock.js';
import type { PluginHooks, TrainerEvent, UnifiedTrainer } from '../../src/trainer/index.js';
import type { LifecycleHooks } from '../../src/types/index.js';
import { collect, type TinyRun, tiny } from './tiny-run.js';

const trainer = (onError: 'fail' | 'warn' | 'disable') => ({
  totalEpochs: 0,
  totalBatches: 5,
  testFreq: 0,
  valBeforeTrain: false,
  hooks: { onError },
});

function warningsOf(events: readonly TrainerEvent[]): readonly TrainerEvent[] {
  return events.filter((event) => event.event === 'warning');
}

/** Fails at every batch, and counts. */
class Brittle implements LifecycleHooks {
  calls = 0;
  groups = 0;
  onBatchEnd(): void {
    this.calls++;
    throw new Error('no disk');
  }
  onGroups(): void {
    this.groups++;
  }
}

/** Also of a run that fails. */
async function eventsOf(trainer: UnifiedTrainer): Promise<readonly TrainerEvent[]> {
  const events: TrainerEvent[] = [];
  try {
    for await (const event of trainer.events()) events.push(event);
  } catch {
    // The last event tells of it.
  }
  return events;
}

async function run(
  onError: 'fail' | 'warn' | 'disable',
  hooks: TinyRun['hooks'],
): Promise<readonly TrainerEvent[]> {
  return collect(tiny({ config: { trainer: trainer(onError) }, hooks: hooks ?? [] }).trainer);
}

describe('a hook that throws', () => {
  const sentence = 'The plugin "brittle" failed in its hook onBatchEnd: no disk';
  const details = { plugin: 'brittle', hook: 'onBatchEnd' };

  test('ends the run by default, also when it is async', async () => {
    const cause = new Error('no disk');
    const hooks: LifecycleHooks = { onBatchEnd: () => Promise.reject(cause) };
    const failing = tiny({ hooks: [{ plugin: 'brittle', hooks }] }).trainer.fit();
    await expect(failing).rejects.toMatchObject({ code: 'HOOK_FAILED', message: sentence, cause, details });
  });

  test('by the policy warn is told of, at its 1st, 2nd and 4th failure, and called again', async () => {
    const hooks = new Brittle();
    const events = await run('warn', [{ plugin: 'brittle', hooks }]);
    expect(hooks.calls).toBe(5);
    expect(warningsOf(events)).toEqual(
      ['', ' It has failed 2 times.', ' It has failed 4 times.'].map((times) => ({
        event: 'warning',
        code: 'HOOK_FAILED',
        message: `${sentence}${times} The run goes on.`,
        details,
      })),
    );
    expect(events.at(-1)).toMatchObject({ event: 'end', status: 'completed' });
  });

  test('by the policy disable is told of and not called again; its other points and other plugins are', async () => {
    const [hooks, other] = [new Brittle(), new Brittle()];
    const events = await run('disable', [
      { plugin: 'brittle', hooks },
      { plugin: 'other', hooks: other },
    ]);
    expect([hooks.calls, hooks.groups, other.calls, other.groups]).toEqual([1, 5, 1, 5]);
    expect(warningsOf(events)).toEqual([
      {
        event: 'warning',
        code: 'HOOK_FAILED',
        message: `${sentence} It is not called again in this run.`,
        details,
      },
      expect.objectContaining({ details: { plugin: 'other', hook: 'onBatchEnd' } }),
    ]);
  });

  test.each(['warn', 'disable'] as const)(
    'by the policy %s changes no number of the run',
    async (onError) => {
      const whole = await tiny({ config: { trainer: trainer(onError) } }).trainer.fit();
      const hooks: LifecycleHooks = {
        onRolloutEnd() {
          throw new Error('no disk');
        },
      };
      const events = await run(onError, [{ plugin: 'brittle', hooks }]);
      const end = events.at(-1);
      const numbers = (metrics: object) =>
        Object.entries(metrics).filter(([key]) => !key.startsWith('time/'));
      expect(end?.event === 'end' && numbers(end.summary.lastStep)).toEqual(numbers(whole.lastStep));
    },
  );

  test('may throw anything', async () => {
    for (const thrown of [
      undefined,
      null,
      'a text',
      { message: 'no error' },
      new RllmError('USAGE', 'coded'),
    ]) {
      const hooks: LifecycleHooks = {
        onGroups() {
          throw thrown;
        },
      };
      const failing = tiny({ hooks: [{ plugin: 'odd', hooks }] }).trainer.fit();
      await expect(failing).rejects.toMatchObject({
        code: 'HOOK_FAILED',
        details: { plugin: 'odd', hook: 'onGroups' },
      });
    }
  });

  test('within the call of another is told as its own fault', async () => {
    const asks: LifecycleHooks = {
      async onEpochEnd(_state, run) {
        await run.checkpoint();
      },
      onBatchEnd(_state, run) {
        return run.checkpoint().then(() => undefined);
      },
    };
    const events = await run('warn', [{ plugin: 'asks', hooks: asks }]);
    expect(warningsOf(events)[0]).toMatchObject({
      code: 'HOOK_FAILED',
      message: expect.stringMatching(
        /^The plugin "asks" asked for a checkpoint in its hook onBatchEnd, within a step/,
      ),
    });
  });
});

describe('a run that is shut down', () => {
  const never = (): Promise<void> => new Promise(() => undefined);

  /** A hook that never ends, and what waits until it is called. */
  function stuckHook(): { readonly hook: () => Promise<void>; readonly reached: Promise<void> } {
    let reach: () => void = () => undefined;
    const reached = new Promise<void>((resolve) => {
      reach = resolve;
    });
    const hook = (): Promise<void> => {
      reach();
      return never();
    };
    return { hook, reached };
  }

  /** Lets time pass until the run has ended. */
  async function pass(clock: FakeClock, run: Promise<unknown>): Promise<void> {
    let hasEnded = false;
    void run.finally(() => {
      hasEnded = true;
    });
    for (let turns = 0; !hasEnded && turns < 100; turns++) {
      await turn();
      clock.advance(100);
    }
  }

  test('waits for no hook, and names the one that it left', async () => {
    const { hook, reached } = stuckHook();
    const stuck = tiny({
      config: { trainer: trainer('warn') },
      hooks: [{ plugin: 'stuck', hooks: { onBatchEnd: hook } }],
    });
    const failing = expect(stuck.trainer.fit()).rejects.toMatchObject({
      code: 'ABORTED',
      message: 'The run was aborted and did not wait for the hook onBatchEnd of the plugin "stuck".',
      details: { plugin: 'stuck', hook: 'onBatchEnd' },
    });
    await reached;
    await stuck.trainer.shutdown();
    await failing;
  });

  test('by a hook that waits for that is not waited for either', async () => {
    const { trainer: own } = tiny({
      hooks: [{ plugin: 'mine', hooks: { onBatchEnd: (): Promise<void> => own.shutdown() } }],
    });
    await expect(own.fit()).rejects.toMatchObject({ code: 'ABORTED' });
  });

  test.each(['before', 'while'] as const)(
    'gives up a hook at its end that never ends, and calls the others: shut down %s it is called',
    async (when) => {
      const clock = fakeClock();
      const called: string[] = [];
      const { hook, reached } = stuckHook();
      const { hook: atEnd, reached: reachedEnd } = stuckHook();
      const isBefore = when === 'before';
      const stuck = tiny({
        config: { trainer: trainer('fail') },
        clock,
        hooks: [
          {
            plugin: 'stuck',
            hooks: isBefore ? { onBatchEnd: hook, onTrainEnd: never } : { onTrainEnd: atEnd },
          },
          { plugin: 'other', hooks: { onTrainEnd: () => void called.push('other') } },
        ],
      });
      const events = eventsOf(stuck.trainer);
      await (isBefore ? reached : reachedEnd);
      const ended = stuck.trainer.shutdown();
      await pass(clock, ended);
      await ended;
      expect(warningsOf(await events)).toEqual([
        {
          event: 'warning',
          code: 'HOOK_GIVEN_UP',
          message:
            'The run was aborted and waited 2 s for the hook onTrainEnd of the plugin "stuck", but no longer.',
          details: { plugin: 'stuck', hook: 'onTrainEnd' },
        },
      ]);
      expect(called).toEqual(['other']);
      expect(clock.pending).toBe(0);
    },
  );

  test('waits for a hook at its end that takes no longer than its grace', async () => {
    const clock = fakeClock();
    const { hook, reached } = stuckHook();
    let isWritten = false;
    const onTrainEnd = async (): Promise<void> => {
      await new Promise<void>((resolve) => clock.after(1_900, resolve));
      isWritten = true;
    };
    const run = tiny({ clock, hooks: [{ plugin: 'writes', hooks: { onBatchEnd: hook, onTrainEnd } }] });
    const failing = expect(run.trainer.fit()).rejects.toMatchObject({ code: 'ABORTED' });
    await reached;
    const ended = run.trainer.shutdown();
    await pass(clock, ended);
    await ended;
    await failing;
    expect(isWritten).toBe(true);
  });
});

test('every hook at the end is called, whatever those before it threw, and each failure is told', async () => {
  const called: string[] = [];
  const ends = (plugin: string, failure?: string): PluginHooks => ({
    plugin,
    hooks: {
      onTrainEnd: () => {
        called.push(plugin);
        if (failure !== undefined) throw new Error(failure);
      },
    },
  });
  const { trainer } = tiny({ hooks: [ends('a', 'disk full'), ends('b'), ends('c', 'no route'), ends('d')] });
  await expect(trainer.fit()).rejects.toMatchObject({
    code: 'HOOK_FAILED',
    message: expect.stringMatching(/"a" failed in its hook onTrainEnd: disk full · .*"c".*no route$/),
    details: { plugin: 'a', hook: 'onTrainEnd' },
  });
  expect(called).toEqual(['a', 'b', 'c', 'd']);
});
