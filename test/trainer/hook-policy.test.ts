import { describe, expect, test } from 'vitest';
import { RllmError } from '../../src/errors.js';
import type { TrainerEvent } from '../../src/trainer/index.js';
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

test('a run that is shut down waits for no hook', async () => {
  let reach: () => void = () => undefined;
  const reached = new Promise<void>((resolve) => {
    reach = resolve;
  });
  const hooks: LifecycleHooks = {
    onBatchEnd() {
      reach();
      return new Promise(() => undefined);
    },
  };
  const stuck = tiny({ config: { trainer: trainer('warn') }, hooks: [{ plugin: 'stuck', hooks }] });
  const failing = expect(stuck.trainer.fit()).rejects.toMatchObject({ code: 'ABORTED' });
  await reached;
  await stuck.trainer.shutdown();
  await failing;
});
