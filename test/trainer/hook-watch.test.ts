import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { type FakeClock, fakeClock } from '../../src/testing/fake-clock.js';
import type { TrainerEvent } from '../../src/trainer/index.js';
import type { LifecycleHooks } from '../../src/types/index.js';
import { collect, newRun, tempFolders, tiny } from './tiny-run.js';

function trainer(slowMs?: number | null) {
  const hooks = slowMs === undefined ? {} : { slowMs };
  return { totalEpochs: 0, totalBatches: 1, testFreq: 0, valBeforeTrain: false, hooks };
}

async function slowOnes(hooks: LifecycleHooks, clock: FakeClock, slowMs?: number | null): Promise<object[]> {
  const run = tiny({ config: { trainer: trainer(slowMs) }, hooks: [{ plugin: 'slow', hooks }], clock });
  const events = await collect(run.trainer);
  expect(events.at(-1)).toMatchObject({ event: 'end', status: 'completed' });
  return warnings(events);
}

function warnings(events: readonly TrainerEvent[]): object[] {
  return events.filter((event) => event.event === 'warning').map(({ event: _event, ...rest }) => rest);
}

const named = (hook: string, took: string, ms: number): object => ({
  code: 'HOOK_SLOW',
  message: `The hook ${hook} of the plugin "slow" ${took} ${ms / 1000} s; the run waits for it.`,
  details: { plugin: 'slow', hook, ms },
});

/** Lets time pass in pieces, as a hook that waits would see it. */
async function pass(clock: FakeClock, ...pieces: readonly number[]): Promise<void> {
  for (const ms of pieces) {
    clock.advance(ms);
    await turn();
  }
}

describe('a hook that runs long', () => {
  test('is named after ten seconds, and again each time its time has doubled', async () => {
    const clock = fakeClock();
    const hooks: LifecycleHooks = { onGroups: () => pass(clock, 9_999, 1, 10_000, 19_999, 1, 39_999) };
    expect(await slowOnes(hooks, clock)).toEqual(
      [10_000, 20_000, 40_000].map((ms) => named('onGroups', 'is still running after', ms)),
    );
    expect(clock.pending).toBe(0);
  });

  test('is not named when it ends in time, each call for itself', async () => {
    const clock = fakeClock();
    const hooks: LifecycleHooks = { onRolloutEnd: () => pass(clock, 9_999) };
    expect(await slowOnes(hooks, clock)).toEqual([]);
    expect(clock.pending).toBe(0);
  });

  test('is named when it returns, if it held up the whole program', async () => {
    const clock = fakeClock();
    /** As time passes while nothing else runs: timers fall due and cannot fire. */
    let blockedMs = 0;
    const blocked: FakeClock = { ...clock, after: (ms, run) => clock.after(ms, run) };
    Object.defineProperty(blocked, 'now', { get: () => clock.now + blockedMs });
    const hooks: LifecycleHooks = {
      onUpdateEnd() {
        blockedMs += 12_500;
      },
    };
    expect(await slowOnes(hooks, blocked)).toEqual([named('onUpdateEnd', 'took', 12_500)]);
  });

  test('is named at the time that the config says, or never', async () => {
    const clock = fakeClock();
    const hooks: LifecycleHooks = { onBatchEnd: () => pass(clock, 50) };
    expect(await slowOnes(hooks, clock, 50)).toEqual([named('onBatchEnd', 'is still running after', 50)]);
    const before = clock.delays.length;
    expect(await slowOnes({ onBatchEnd: () => pass(clock, 1e9) }, clock, null)).toEqual([]);
    expect(clock.delays).toHaveLength(before);
  });

  test('is named also when it fails, and leaves no timer behind', async () => {
    const clock = fakeClock();
    const hooks: LifecycleHooks = {
      async onBatchEnd() {
        await pass(clock, 10_000);
        throw new Error('and then this');
      },
    };
    const run = tiny({ config: { trainer: trainer() }, hooks: [{ plugin: 'slow', hooks }], clock });
    const events: TrainerEvent[] = [];
    const reading = (async () => {
      for await (const event of run.trainer.events()) events.push(event);
    })();
    await expect(reading).rejects.toMatchObject({ code: 'HOOK_FAILED' });
    expect(warnings(events)).toEqual([named('onBatchEnd', 'is still running after', 10_000)]);
    expect(clock.pending).toBe(0);
  });

  test('does not answer for the time in which the run saves a checkpoint for it', async () => {
    const folders = tempFolders();
    const clock = fakeClock();
    const config = { trainer: trainer() };
    const run = await newRun(`${await folders.make()}/run`, config);
    const training = tiny({
      config,
      run,
      clock,
      hooks: [
        {
          plugin: 'slow',
          hooks: {
            async onEpochEnd(_state, control) {
              await pass(clock, 6_000);
              await control.checkpoint();
              await pass(clock, 3_999);
            },
          },
        },
        { plugin: 'slow', hooks: { onCheckpoint: () => pass(clock, 10_000) } },
      ],
    });
    expect(warnings(await collect(training.trainer))).toEqual([
      named('onCheckpoint', 'is still running after', 10_000),
    ]);
    await folders.clear();
  });
});
