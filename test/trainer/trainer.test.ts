import { getEventListeners } from 'node:events';
import { afterAll, describe, expect, test } from 'vitest';
import { fakeClock } from '../../src/testing/fake-clock.js';
import type { TrackerDefinition } from '../../src/tracking/index.js';
import type { LifecycleHooks } from '../../src/types/index.js';
import type { WorkflowFunction } from '../../src/workflow/index.js';
import { collect, newRun, readLines, readNumbers, tasks, tempFolders, tiny } from './tiny-run.js';

const folders = tempFolders();
afterAll(() => folders.clear());

describe('a training run', () => {
  test('takes every batch through the backend in the order of the stages', async () => {
    const { trainer, backend } = tiny({ config: { trainer: { totalBatches: 2 } } });
    await trainer.fit();
    const step = ['transformToBackendBatch', 'processBatch', 'updatePolicy'];
    expect(backend.calls).toEqual([...step, ...step]);
    expect(backend.updates.map((update) => update.step)).toEqual([1, 2]);
  });

  test('has advantages on every step of its groups when the policy is updated', async () => {
    const { trainer, backend } = tiny();
    await trainer.fit();
    const advantages = backend.updates.flatMap(({ groups }) =>
      groups.flatMap(({ trajectories }) => trajectories.flatMap((one) => one.advantages)),
    );
    expect(advantages).toHaveLength(8 * 8);
    expect(advantages.every((advantage) => Number.isFinite(advantage))).toBe(true);
  });

  test.each(['constructor', 'toString', 'valueOf'])('may name roles and metrics %s', async (name) => {
    const workflow: WorkflowFunction = async (_task, context) => {
      const agent = context.agent(name);
      await agent.respond('q');
      agent.reward(context.rolloutIndex, { [name]: context.rolloutIndex });
      context.metric(name, context.rolloutIndex, 'mean');
    };
    const { trainer } = tiny({ workflow, config: { trainer: { totalBatches: 1 } } });
    const step = (await collect(trainer)).find((event) => event.event === 'step');
    const mean = (0 + 1 + 2 + 3) / 4;
    expect(step?.metrics).toMatchObject({ [`batch/${name}`]: mean, [`reward/${name}/mean`]: mean });
  });

  test('learns', async () => {
    const { trainer, backend } = tiny({ config: { trainer: { totalBatches: 30 } } });
    const summary = await trainer.fit();
    expect(summary).toMatchObject({ status: 'completed', steps: 30, error: null });
    expect(backend.preference('yes')).toBeGreaterThan(backend.preference('no') + 5);
    expect(summary.lastValidation['val/unknown/pass@1']).toBeGreaterThan(0.6);
  });

  test('gives the same metrics twice for one seed, and others for another', async () => {
    const numbers = [];
    for (const seed of [1, 1, 2]) {
      const directory = await folders.make();
      const config = { trainer: { seed } };
      await tiny({ config, run: await newRun(`${directory}/run`, config) }).trainer.fit();
      numbers.push(await readNumbers(`${directory}/run`));
    }
    expect(numbers[1]).toEqual(numbers[0]);
    expect(numbers[2]).not.toEqual(numbers[0]);
  });

  test('plans as many steps as it makes, and ends its progress at exactly 1', async () => {
    const trainData = tasks(490);
    const config = {
      data: { trainBatchSize: 4 },
      rollout: { n: 1 },
      trainer: { totalEpochs: 1, testFreq: 0 },
    };
    const { trainer } = tiny({ trainData, valData: undefined, config });
    const events = await collect(trainer);
    const steps = events.filter((event) => event.event === 'step');
    expect(events[0]).toMatchObject({ event: 'start', totalSteps: 122 });
    expect(steps.map(({ step }) => step)).toEqual(Array.from({ length: 122 }, (_, i) => i + 1));
    expect(steps.at(-1)?.metrics['progress/done_frac']).toBe(1);
  });

  test('goes through as many epochs as totalBatches takes', async () => {
    const events = await collect(tiny({ config: { trainer: { totalEpochs: 1, totalBatches: 9 } } }).trainer);
    const epochs = events.flatMap((event) => (event.event === 'step' ? [event.epoch] : []));
    expect(epochs).toEqual([0, 0, 0, 0, 1, 1, 1, 1, 2]);
  });

  test('samples each task of an epoch once, n times in a row', async () => {
    const { trainer, backend } = tiny({
      trainData: tasks(9),
      config: { data: { trainBatchSize: 3 }, rollout: { n: 2 }, trainer: { totalEpochs: 1 } },
    });
    await trainer.fit();
    const groups = backend.updates.flatMap((update) => update.groups);
    expect(groups.map((group) => group.groupId).sort()).toEqual(tasks(9).map(({ id }) => `${id}:agent`));
    expect(groups.every((group) => group.trajectories.length === 2)).toBe(true);
  });

  test('asks twice for the same run when fit is called twice', async () => {
    const { trainer } = tiny();
    expect(trainer.fit()).toBe(trainer.fit());
    await trainer.fit();
  });
});

describe('a step of which nothing is left', () => {
  const config = {
    rejectionSample: { mode: 'group' },
    trainer: { totalBatches: 4, testFreq: 2 },
  } as const;

  test('changes no weights, is counted once, and says why', async () => {
    const directory = await folders.make();
    const run = await newRun(`${directory}/run`, config);
    const { trainer, backend } = tiny({ config, run, policy: () => 'yes' });
    const events = await collect(trainer);
    expect(backend.updates).toEqual([]);
    expect(backend.weightVersion).toBe(0);
    const steps = events.flatMap((event) => (event.event === 'step' ? [event.step] : []));
    expect(steps).toEqual([1, 2, 3, 4]);
    const warnings = events.filter((event) => event.event === 'warning');
    expect(warnings).toHaveLength(4);
    expect(warnings[0]).toMatchObject({
      code: 'STEP_SKIPPED',
      message: expect.stringMatching(/^Step 1 .*8 rollouts.*8 stood in a group whose rewards are all equal/),
    });
    const lines = await readLines(`${directory}/run`);
    expect(lines.filter((line) => line.kind === 'train')[3]?.metrics).toMatchObject({
      'ledger/started': 8,
      'ledger/trained': 0,
      'ledger/dropped/uniform_group': 8,
      'progress/batch': 4,
    });
  });

  test('leaves weights that were validated before, so they are not validated again', async () => {
    const { trainer } = tiny({ config, policy: () => 'yes' });
    const events = await collect(trainer);
    const validations = events.flatMap((event) => (event.event === 'validation' ? [event.step] : []));
    expect(validations).toEqual([0]);
  });

  test('moves the data on: every task comes once per epoch', async () => {
    const asked: string[] = [];
    const { trainer } = tiny({
      config: {
        ...config,
        trainer: { totalEpochs: 1, totalBatches: null, testFreq: 0, valBeforeTrain: false },
      },
      policy: ({ identity }) => {
        if (identity.rolloutIndex === 0) asked.push(identity.taskId);
        return 'yes';
      },
    });
    await trainer.fit();
    expect(asked.sort()).toEqual(tasks(8).map(({ id }) => id));
  });

  test('may wait for later batches, and the ledgers of all steps add up', async () => {
    const waiting = {
      rejectionSample: { mode: 'episode', minPartialSolveTasks: 3 },
      trainer: { totalBatches: 6, testFreq: 0 },
    } as const;
    const { trainer, backend } = tiny({ config: waiting });
    const events = await collect(trainer);
    const steps = events.flatMap((event) => (event.event === 'step' ? [event.metrics] : []));
    const sum = (key: string): number => steps.reduce((total, metrics) => total + (metrics[key] ?? 0), 0);
    const dropped = [...new Set(steps.flatMap(Object.keys))].filter((key) =>
      key.startsWith('ledger/dropped/'),
    );
    const left = steps.at(-1)?.['ledger/waiting'] ?? 0;
    expect(sum('ledger/started')).toBe(6 * 8);
    expect(sum('ledger/trained') + dropped.reduce((total, key) => total + sum(key), 0) + left).toBe(6 * 8);
    expect(backend.updates.length).toBeGreaterThan(0);
    expect(backend.updates.length).toBeLessThan(6);
  });
});

describe('validation', () => {
  test('runs before, during and after training, once per set of weights', async () => {
    const { trainer } = tiny({ config: { trainer: { totalBatches: 6, testFreq: 3 } } });
    const events = await collect(trainer);
    const validations = events.flatMap((event) => (event.event === 'validation' ? [event.step] : []));
    expect(validations).toEqual([0, 3, 6]);
  });

  test('runs at the end also when the last step is not due', async () => {
    const { trainer } = tiny({
      config: { trainer: { totalBatches: 5, testFreq: 3, valBeforeTrain: false } },
    });
    const events = await collect(trainer);
    const validations = events.flatMap((event) => (event.event === 'validation' ? [event.step] : []));
    expect(validations).toEqual([3, 5]);
  });

  test('is all that valOnly does, with no training data', async () => {
    const config = { trainer: { valOnly: true, valBeforeTrain: false } };
    const { trainer, backend } = tiny({ config, trainData: undefined });
    const summary = await trainer.fit();
    expect(summary).toMatchObject({ status: 'completed', steps: 0 });
    expect(summary.lastValidation['val/unknown/rollouts']).toBe(6);
    expect(backend.calls).toEqual([]);
  });

  test('averages over rollouts, not over batches of them', async () => {
    const valData = [{ id: 'a' }, { id: 'b' }, { id: 'c' }, { id: 'd', answer: 'never' }];
    const config = { data: { valBatchSize: 3 }, rollout: { nVal: 1 }, trainer: { valOnly: true } };
    const { lastValidation } = await tiny({ config, valData, policy: () => 'yes' }).trainer.fit();
    expect(lastValidation).toMatchObject({ 'val/reward/agent/mean': 0.75, 'val/unknown/right': 0.75 });
  });

  test('splits by data source and counts rollouts without steps', async () => {
    const valData = [
      { id: 'a', data_source: 'gsm' },
      { id: 'b', data_source: 'math' },
      { id: 'words '.repeat(40), data_source: 'math' },
    ];
    const config = { rollout: { nVal: 1 }, trainer: { valOnly: true } };
    const { lastValidation } = await tiny({
      config,
      valData,
      policy: () => 'yes',
      backendOptions: { maxPromptTokens: 20 },
    }).trainer.fit();
    expect(lastValidation).toMatchObject({
      'val/gsm/pass@1': 1,
      'val/math/pass@1': 0.5,
      'val/math/dropped': 1,
      'val/gsm/dropped': 0,
    });
  });

  test('can be asked for alone', async () => {
    const { trainer, backend } = tiny({ policy: () => 'yes' });
    const seen: (readonly [number, number])[] = [];
    const metrics = await trainer.validate({ onRollout: (done, total) => seen.push([done, total]) });
    expect(metrics['val/unknown/pass@1']).toBe(1);
    expect(seen).toEqual([1, 2, 3, 4, 5, 6].map((done) => [done, 6]));
    expect(backend.calls).toEqual([]);
    await expect(tiny({ valData: undefined }).trainer.validate()).rejects.toMatchObject({
      code: 'DATASET_EMPTY',
    });
  });
});

describe('stopWhen', () => {
  test('ends a run as completed once its metric reaches the value', async () => {
    const config = {
      trainer: { totalBatches: 50, testFreq: 1, stopWhen: { metric: 'val/unknown/pass@1', atLeast: 1 } },
    };
    const { trainer } = tiny({ config, policy: ({ weightVersion }) => (weightVersion < 3 ? 'no' : 'yes') });
    expect(await trainer.fit()).toMatchObject({ status: 'completed', steps: 3 });
  });

  test('may name a metric of training steps', async () => {
    const config = {
      trainer: { totalBatches: 50, testFreq: 0, stopWhen: { metric: 'batch/solve_rate', atLeast: 1 } },
    };
    const { trainer } = tiny({ config, policy: ({ weightVersion }) => (weightVersion < 3 ? 'no' : 'yes') });
    expect(await trainer.fit()).toMatchObject({ status: 'completed', steps: 4 });
  });

  test.each([
    ['val/gsm/pass@1', 'val/unknown/pass@1'],
    ['batch/solve_rates', 'batch/solve_rate'],
    ['toString', 'batch/solve_rate'],
  ])('with the unknown metric %s fails and lists what there is', async (metric, known) => {
    const { trainer } = tiny({ config: { trainer: { stopWhen: { metric, atLeast: 1 } } } });
    await expect(trainer.fit()).rejects.toMatchObject({
      code: 'UNKNOWN_NAME',
      message: expect.stringContaining(known),
    });
  });

  test('on a validation that never comes is refused before anything runs', async () => {
    const config = { trainer: { stopWhen: { metric: 'val/unknown/pass@1', atLeast: 1 } } };
    const { trainer, backend } = tiny({ config, valData: undefined });
    await expect(trainer.fit()).rejects.toMatchObject({ code: 'SETTING_IMPOSSIBLE' });
    expect(backend.calls).toEqual([]);
  });
});

describe('hooks', () => {
  test('are called in the documented order, plugins as they are named', async () => {
    const calls: string[] = [];
    const record = (plugin: string): LifecycleHooks => ({
      onTrainStart: () => void calls.push(`${plugin} trainStart`),
      onTrainEnd: () => void calls.push(`${plugin} trainEnd`),
      onEpochStart: ({ epoch }) => void calls.push(`${plugin} epochStart ${epoch}`),
      onEpochEnd: ({ epoch }) => void calls.push(`${plugin} epochEnd ${epoch}`),
      onBatchStart: ({ globalStep }) => void calls.push(`${plugin} batchStart ${globalStep}`),
      onBatchEnd: ({ globalStep }) => void calls.push(`${plugin} batchEnd ${globalStep}`),
      onValidationStart: ({ globalStep }) => void calls.push(`${plugin} valStart ${globalStep}`),
      onValidationEnd: ({ globalStep }) => void calls.push(`${plugin} valEnd ${globalStep}`),
      onCheckpoint: ({ globalStep }) => void calls.push(`${plugin} checkpoint ${globalStep}`),
    });
    const config = {
      data: { trainBatchSize: 8 },
      trainer: { totalEpochs: 2, testFreq: 2, saveFreq: 0 },
    };
    const run = await newRun(`${await folders.make()}/run`, config);
    const hooks = [
      { plugin: 'a', hooks: record('a') },
      { plugin: 'b', hooks: record('b') },
    ];
    await tiny({ config, run, hooks }).trainer.fit();
    const ofA = calls.filter((call) => call.startsWith('a ')).map((call) => call.slice(2));
    expect(ofA).toEqual([
      ...['trainStart', 'valStart 0', 'valEnd 0'],
      ...['epochStart 0', 'batchStart 1', 'batchEnd 1', 'epochEnd 0'],
      ...['epochStart 1', 'batchStart 2', 'batchEnd 2', 'epochEnd 1'],
      ...['checkpoint 2', 'valStart 2', 'valEnd 2', 'trainEnd'],
    ]);
    expect(calls).toEqual(ofA.flatMap((call) => [`a ${call}`, `b ${call}`]));
  });

  test('see every rollout in the order of the batch, and may add metrics at its end', async () => {
    const seen: string[] = [];
    const hooks: LifecycleHooks = {
      onRolloutEnd: ({ taskId, rolloutIndex }) => void seen.push(`${taskId}:${rolloutIndex}`),
      onBatchEnd: ({ metrics }) => {
        metrics['mine/answer'] = 42;
      },
    };
    const config = {
      data: { shuffle: false },
      rollout: { n: 2 },
      trainer: { totalBatches: 1, testFreq: 0, valBeforeTrain: false },
    };
    const { lastStep } = await tiny({ config, hooks: [{ plugin: 'mine', hooks }] }).trainer.fit();
    expect(seen).toEqual(['t0:0', 't0:1', 't1:0', 't1:1']);
    expect(lastStep['mine/answer']).toBe(42);
  });

  test('that throw fail the run with the name of their plugin', async () => {
    const hooks: LifecycleHooks = {
      onBatchStart: () => {
        throw new Error('no disk');
      },
    };
    const { trainer } = tiny({ hooks: [{ plugin: 'brittle', hooks }] });
    await expect(trainer.fit()).rejects.toMatchObject({
      code: 'HOOK_FAILED',
      message: 'The plugin "brittle" failed in its hook onBatchStart: no disk',
    });
  });
});

describe('a run that fails', () => {
  test('tells its trackers and readers the truth, then rejects with the error', async () => {
    const told: string[] = [];
    const tracker = {
      name: 'truth',
      summary: '',
      create: () => ({
        name: 'truth',
        log: () => undefined,
        finish: (status: string) => void told.push(status),
      }),
    };
    const { trainer } = tiny({
      trackers: [tracker],
      workflow: async () => {
        throw new Error('broken tool');
      },
    });
    const events: unknown[] = [];
    const reading = (async () => {
      for await (const event of trainer.events()) events.push(event);
    })();
    await expect(reading).rejects.toMatchObject({ code: 'WORKFLOW_FAILED' });
    await expect(trainer.fit()).rejects.toMatchObject({ code: 'WORKFLOW_FAILED' });
    expect(told).toEqual(['failed']);
    expect(events.at(-1)).toMatchObject({
      event: 'end',
      status: 'failed',
      summary: { status: 'failed', error: { code: 'WORKFLOW_FAILED' } },
    });
  });

  test('in the backend names the backend and the stage', async () => {
    const { trainer, backend } = tiny();
    backend.updatePolicy = async () => {
      throw new TypeError('shapes differ');
    };
    await expect(trainer.fit()).rejects.toMatchObject({
      code: 'BACKEND_FAILED',
      message: 'The backend "in-memory" failed in step 1, stage update_policy: shapes differ',
    });
  });

  test.each([
    ['without training data', undefined, {}, 'DATASET_EMPTY'],
    ['with an empty dataset', [], {}, 'DATASET_EMPTY'],
    ['with fewer tasks than a batch', tasks(3), { data: { trainBatchSize: 4 } }, 'DATASET_TOO_SMALL'],
  ])('at its start %s has written nothing', async (_, trainData, config, code) => {
    const directory = `${await folders.make()}/run`;
    const { trainer } = tiny({ config, trainData, run: await newRun(directory) });
    await expect(trainer.fit()).rejects.toMatchObject({ code });
    await expect(readLines(directory)).rejects.toMatchObject({ code: 'ENOENT' });
  });

  test('for a backend that only samples is refused at its start', async () => {
    const { trainer } = tiny({ backendOptions: { capabilities: { training: false } } });
    await expect(trainer.fit()).rejects.toMatchObject({ code: 'CAPABILITY_MISSING' });
  });
});

describe('a tracker that throws', () => {
  test('costs one warning and never the run', async () => {
    const logged: number[] = [];
    let calls = 0;
    const tracker = {
      name: 'shaky',
      summary: '',
      create: () => ({
        name: 'shaky',
        log: ({ step }: { step: number }) => {
          if (++calls >= 3) throw new Error('quota');
          logged.push(step);
        },
        finish: () => undefined,
      }),
    };
    const { trainer } = tiny({ trackers: [tracker] });
    const events = await collect(trainer);
    const warnings = events.flatMap((event) => (event.event === 'warning' ? [event.message] : []));
    expect(warnings).toEqual([
      'The tracker "shaky" failed, the run goes on: quota',
      expect.stringMatching(/^The tracker "shaky" failed \d+ times in this run\.$/),
    ]);
    expect(logged).toHaveLength(2);
    expect(events.at(-1)).toMatchObject({ event: 'end', status: 'completed' });
  });
});

test('a run that failed tells why, also when its folder cannot be closed', async () => {
  const run = await newRun(`${await folders.make()}/run`);
  const close = run.close.bind(run);
  let closed = 0;
  run.close = async () => {
    await close();
    if (closed++ === 0) throw new Error('EIO');
  };
  const hooks: LifecycleHooks = {
    onBatchEnd() {
      throw new Error('no disk');
    },
  };
  const failing = tiny({ run, hooks: [{ plugin: 'brittle', hooks }] }).trainer.fit();
  await expect(failing).rejects.toMatchObject({ code: 'HOOK_FAILED' });
});

describe('stopping a run', () => {
  test('by its signal ends it after the step at hand, as interrupted', async () => {
    const controller = new AbortController();
    const hooks: LifecycleHooks = {
      onBatchStart: ({ globalStep }) => {
        if (globalStep === 2) controller.abort();
      },
    };
    const { trainer, backend } = tiny({ hooks: [{ plugin: 'stop', hooks }] });
    const summary = await trainer.fit({ signal: controller.signal });
    expect(summary).toMatchObject({ status: 'interrupted', steps: 2, error: null });
    expect(backend.updates).toHaveLength(2);
  });

  test('by a signal that outlives it leaves no listener there', async () => {
    const { signal } = new AbortController();
    const listening: number[] = [];
    const hooks: LifecycleHooks = {
      onValidationStart: () => void listening.push(getEventListeners(signal, 'abort').length),
    };
    await tiny({ hooks: [{ plugin: 'count', hooks }] }).trainer.validate({ signal });
    const { trainer } = tiny({ hooks: [{ plugin: 'count', hooks }] });
    await trainer.fit({ signal });
    await trainer.fit({ signal });
    expect(listening).toEqual([1, 1, 1, 1]);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  test('by nothing, as long as none of its events was asked for: it has not started', async () => {
    const { trainer, backend } = tiny();
    const events = trainer.events();
    await new Promise((resolve) => setImmediate(resolve));
    expect(backend.calls).toEqual([]);
    expect(await events.next()).toMatchObject({ value: { event: 'start' } });
    await events.return();
  });

  test('by leaving the loop over its events does the same', async () => {
    const { trainer, backend } = tiny();
    for await (const event of trainer.events()) if (event.event === 'step' && event.step === 3) break;
    expect((await trainer.fit()).status).toBe('interrupted');
    expect(backend.updates.length).toBeLessThan(8);
  });

  test('by shutdown ends it at once with ABORTED and releases the backend', async () => {
    const { trainer, backend } = tiny({ policy: () => new Promise<string>(() => undefined) });
    const run = trainer.fit();
    const failure = expect(run).rejects.toMatchObject({ code: 'ABORTED' });
    await new Promise((resolve) => setImmediate(resolve));
    await trainer.shutdown();
    await failure;
    expect(backend.calls).toEqual(['shutdown']);
  });

  test('by shutdown waits for its end also when the backend cannot be released', async () => {
    const order: string[] = [];
    const { trainer, backend } = tiny({ policy: () => new Promise<string>(() => undefined) });
    backend.shutdown = async () => {
      order.push('backend');
      throw new Error('socket');
    };
    const ended = trainer.fit().catch(async () => {
      order.push('run');
    });
    await new Promise((resolve) => setImmediate(resolve));
    await expect(trainer.shutdown()).rejects.toThrow('socket');
    order.push('shutdown');
    await ended;
    expect(order).toEqual(['backend', 'run', 'shutdown']);
  });

  test('cuts a validation short, to be done when the run is resumed', async () => {
    const controller = new AbortController();
    const { trainer } = tiny({
      config: { workflow: { nParallelTasks: 1 } },
      policy: ({ identity }) => {
        if (identity.mode === 'val' && identity.taskId === 't1') controller.abort();
        return 'yes';
      },
    });
    const summary = await trainer.fit({ signal: controller.signal });
    expect(summary).toMatchObject({ status: 'interrupted', steps: 0, lastValidation: {} });
  });

  test('within a validation hides no error of a hook', async () => {
    const controller = new AbortController();
    const hooks: LifecycleHooks = {
      onRolloutEnd() {
        controller.abort();
        throw new Error('no disk');
      },
    };
    const { trainer } = tiny({ hooks: [{ plugin: 'brittle', hooks }] });
    await expect(trainer.fit({ signal: controller.signal })).rejects.toMatchObject({
      code: 'HOOK_FAILED',
      message: 'The plugin "brittle" failed in its hook onRolloutEnd: no disk',
    });
  });

  test.each(['log', 'finish'] as const)(
    'by shutdown waits no longer than two seconds for a tracker in %s',
    async (stuckIn) => {
      const clock = fakeClock();
      let isReached = false;
      const never = (): Promise<void> => {
        isReached = true;
        return new Promise(() => undefined);
      };
      const stuck: TrackerDefinition = {
        name: 'stuck',
        summary: 'never ends',
        create: () => ({ name: 'stuck', log: () => undefined, finish: () => undefined, [stuckIn]: never }),
      };
      const { trainer } = tiny({ trackers: [stuck], clock });
      const warnings: string[] = [];
      const reading = (async () => {
        for await (const event of trainer.events())
          if (event.event === 'warning') warnings.push(event.message);
      })().catch(() => undefined);
      await expect.poll(() => isReached).toBe(true);
      const ended = trainer.shutdown();
      await expect.poll(() => clock.delays).toContain(2_000);
      clock.advance(2_000);
      await ended;
      await reading;
      expect(warnings).toEqual([
        'The tracker "stuck" may lack what it was told last: it had not ended 2 s after the run was to end at once',
      ]);
      expect(clock.pending).toBe(0);
    },
  );
});

test('a dry run takes one rollout through the stages and changes nothing', async () => {
  const { trainer, backend } = tiny({ config: { rejectionSample: { mode: 'group' } } });
  const report = await trainer.dryRun();
  expect(report).toMatchObject({ totalSteps: 8, explanation: null });
  expect(report.trajectories).toHaveLength(1);
  expect(report.trajectories[0]?.pieces.map((piece) => piece.kind)).toEqual(['prompt', 'response']);
  expect(report.metrics['ledger/trained']).toBe(1);
  expect(backend.calls).toEqual(['transformToBackendBatch', 'processBatch']);
  expect(backend.weightVersion).toBe(0);
});

test('a metric that is not a number is left out with one warning', async () => {
  const hooks: LifecycleHooks = {
    onBatchEnd: ({ metrics }) => {
      metrics['mine/nan'] = Number.NaN;
    },
  };
  const { trainer } = tiny({ hooks: [{ plugin: 'mine', hooks }] });
  const events = await collect(trainer);
  expect(events.filter((event) => event.event === 'warning')).toEqual([
    expect.objectContaining({ code: 'METRIC_NOT_FINITE', message: expect.stringContaining('mine/nan') }),
  ]);
});
