import { cp, mkdir, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { EstimatorRegistry } from '../../src/advantage/index.js';
import { redact } from '../../src/config/index.js';
import { latestCheckpoint, RunFolder } from '../../src/trainer/index.js';
import {
  ask,
  collect,
  newRun,
  readLines,
  readNumbers,
  tasks,
  tempFolders,
  tiny,
  tinyConfig,
} from './tiny-run.js';

const folders = tempFolders();
afterAll(() => folders.clear());

/** A new folder's path; nothing is there yet. */
async function place(): Promise<string> {
  return join(await folders.make(), 'run');
}

async function json(path: string): Promise<Record<string, unknown>> {
  return JSON.parse(await readFile(path, 'utf8')) as Record<string, unknown>;
}

describe("a run's folder", () => {
  test('holds config, manifest, metrics and the checkpoints that were due', async () => {
    const directory = await place();
    const config = tinyConfig();
    const run = await RunFolder.create({
      config,
      configRecord: redact(config),
      runDir: directory,
      plugins: [{ name: 'rllm-plugin-x', version: '1.2.3', path: '/plugins/x.js' }],
      command: 'rllm train',
    });
    const { checkpoint } = await tiny({ run }).trainer.fit();
    expect((await readdir(directory)).sort()).toEqual([
      'checkpoints',
      'config.json',
      'manifest.json',
      'metrics.jsonl',
    ]);
    expect((await readdir(join(directory, 'checkpoints'))).sort()).toEqual([
      'step-000003',
      'step-000006',
      'step-000008',
    ]);
    expect(checkpoint).toBe(join(directory, 'checkpoints', 'step-000008'));
    expect(await json(join(directory, 'config.json'))).toMatchObject({ trainer: { totalEpochs: 2 } });
    expect(await json(join(directory, 'manifest.json'))).toMatchObject({
      runId: run.id,
      seed: 0,
      node: process.version,
      sdk: expect.stringMatching(/^\d+\.\d+\.\d+/),
      plugins: [{ name: 'rllm-plugin-x', version: '1.2.3', path: '/plugins/x.js' }],
      command: 'rllm train',
      resumed: [],
    });
  });

  test('has a line per step and per validation, with sorted metrics', async () => {
    const directory = await place();
    await tiny({ run: await newRun(directory) }).trainer.fit();
    const lines = await readLines(directory);
    expect(lines.map(({ kind, step }) => `${kind} ${step}`)).toEqual([
      ...['val 0', 'train 1', 'train 2', 'train 3', 'train 4', 'val 4'],
      ...['train 5', 'train 6', 'train 7', 'train 8', 'val 8'],
    ]);
    for (const line of lines) {
      expect(Object.keys(line)).toEqual(['step', 'epoch', 'kind', 'time', 'metrics']);
      expect(Object.keys(line.metrics)).toEqual(Object.keys(line.metrics).sort());
      expect(new Date(line.time).toISOString()).toBe(line.time);
    }
  });

  test('is named by project, experiment and time when no folder is given', async () => {
    const base = await folders.make();
    const config = tinyConfig({ trainer: { projectName: 'p', experimentName: 'e', runsDir: 'out' } });
    const run = await RunFolder.create({ config, configRecord: {}, baseDirectory: base });
    expect(run.directory).toBe(join(base, 'out', 'p', 'e', run.id));
    expect(run.id).toMatch(/^\d{8}-\d{6}-[0-9a-f]{6}$/);
    expect(await readdir(base)).toEqual([]);
  });

  test.each([
    ['a file of someone else', 'notes.txt', /is not empty: it has notes\.txt/],
    ['a run', 'manifest.json', /holds a run already/],
    ['a config of someone else', 'config.json', /is not empty/],
  ])('is not taken where it has %s', async (_, name, message) => {
    const directory = await folders.make();
    await writeFile(join(directory, name), 'x');
    await expect(newRun(directory)).rejects.toMatchObject({
      code: 'RUN_DIR_INVALID',
      message: expect.stringMatching(message),
    });
    expect(await readFile(join(directory, name), 'utf8')).toBe('x');
  });

  test('where a run was killed before it began counts as empty', async () => {
    const directory = await folders.make();
    await writeFile(join(directory, 'run.lock'), '{');
    await writeFile(join(directory, 'run.lock.4f0c'), '{');
    await tiny({ run: await newRun(directory) }).trainer.fit();
    expect(await readdir(directory)).toContain('manifest.json');
  });

  test('that is none cannot be resumed', async () => {
    await expect(RunFolder.resume(await folders.make())).rejects.toMatchObject({ code: 'RUN_DIR_INVALID' });
  });

  test('keeps as many checkpoints as asked', async () => {
    const directory = await place();
    const config = { trainer: { saveFreq: 1, keepCheckpoints: 2 } };
    await tiny({ config, run: await newRun(directory, config) }).trainer.fit();
    expect((await readdir(join(directory, 'checkpoints'))).sort()).toEqual(['step-000007', 'step-000008']);
  });
});

describe('episodes', () => {
  const config = {
    tracking: { logEpisodes: true },
    rollout: { n: 2, nVal: 2 },
    trainer: { totalBatches: 2, testFreq: 2 },
  };

  test('are written whole, training and validation apart, none over another', async () => {
    const directory = await place();
    const trainData = [{ id: 'a/b:c' }, { id: 'a_b_c' }];
    await tiny({ config, trainData, run: await newRun(directory, config) }).trainer.fit();
    const train = join(directory, 'episodes', 'train');
    expect((await readdir(train)).sort()).toEqual(['step-000001', 'step-000002']);
    expect((await readdir(join(train, 'step-000001'))).sort()).toHaveLength(4);
    expect((await readdir(join(directory, 'episodes', 'val'))).sort()).toEqual([
      'step-000000',
      'step-000002',
    ]);
    const [name = ''] = (await readdir(join(train, 'step-000001'))).sort();
    const episode = await json(join(train, 'step-000001', name));
    expect(episode).toMatchObject({ mode: 'train', step: 1, epoch: 0, terminationReason: 'env_done' });
    expect(['a/b:c', 'a_b_c']).toContain(episode['taskId']);
    const [trajectory] = episode['trajectories'] as { steps: Record<string, unknown>[] }[];
    const [step] = trajectory?.steps ?? [];
    expect(step?.['promptIds']).not.toEqual([]);
    expect(step?.['responseIds']).toHaveLength(2);
    expect(step?.['logprobs']).toHaveLength(2);
    expect(step?.['advantage']).toEqual(expect.any(Number));
  });

  test('are not written unless asked', async () => {
    const directory = await place();
    await tiny({ run: await newRun(directory) }).trainer.fit();
    expect(await readdir(directory)).not.toContain('episodes');
  });
});

describe('checkpoints', () => {
  test('are found by the number of their step, half-written ones passed over', async () => {
    const directory = await place();
    const config = { trainer: { totalBatches: 11, saveFreq: 1, testFreq: 0 } };
    await tiny({ config, run: await newRun(directory, config) }).trainer.fit();
    const folder = join(directory, 'checkpoints');
    for (const name of await readdir(folder)) {
      if (!/0(09|10|11)$/.test(name)) await rm(join(folder, name), { recursive: true });
    }
    await cp(join(folder, 'step-000009'), join(folder, 'step-9'), { recursive: true });
    await rm(join(folder, 'step-000009'), { recursive: true });
    await truncate(join(folder, 'step-000011', 'backend', 'in-memory.json'), 5);
    expect((await latestCheckpoint(folder)).checkpoint?.state.step).toBe(10);
    await rm(join(folder, 'step-000011', 'trainer.json'));
    expect((await latestCheckpoint(folder)).checkpoint?.state.step).toBe(10);
    await mkdir(join(folder, '.writing-step-000012'));
    expect((await latestCheckpoint(folder)).checkpoint?.state.step).toBe(10);
    const events = await collect(tiny({ config, run: await RunFolder.resume(directory) }).trainer);
    expect(events[0]).toMatchObject({ event: 'start', resumedFrom: 10 });
    expect(events[1]).toMatchObject({
      event: 'warning',
      code: 'CHECKPOINT_PASSED_OVER',
      message: expect.stringMatching(/step-000011 .* trainer\.json cannot be read/),
    });
    expect((await readdir(folder)).sort()).toEqual(['step-000010', 'step-000011', 'step-9']);
  });

  async function edit(checkpoint: string, change: (file: Record<string, unknown>) => void): Promise<void> {
    const path = join(checkpoint, 'trainer.json');
    const file = JSON.parse(await readFile(path, 'utf8'));
    change(file);
    await writeFile(path, JSON.stringify(file));
  }

  test.each(['step-000006', 'step-000004'])(
    'of another format are refused, and stay, whichever it is that comes next: %s',
    async (newest) => {
      const directory = await place();
      const config = { trainer: { totalBatches: 6, saveFreq: 2, testFreq: 0 } };
      await tiny({ config, run: await newRun(directory, config) }).trainer.fit();
      const folder = join(directory, 'checkpoints');
      if (newest === 'step-000004') await rm(join(folder, 'step-000006', 'trainer.json'));
      await edit(join(folder, newest), (file) => {
        file['version'] = 2;
      });
      await expect(RunFolder.resume(directory)).rejects.toMatchObject({
        code: 'CHECKPOINT_INVALID',
        message: expect.stringContaining(`${newest} has format 2`),
      });
      const earlier = await RunFolder.resume(join(folder, 'step-000002'));
      expect(earlier.checkpoint?.state.step).toBe(2);
      expect(await readdir(folder)).toContain(newest);
    },
  );

  test('of which none is complete are no reason to begin anew', async () => {
    const directory = await place();
    await tiny({ run: await newRun(directory) }).trainer.fit();
    const folder = join(directory, 'checkpoints');
    for (const name of await readdir(folder)) await writeFile(join(folder, name, 'trainer.json'), 'null');
    await expect(RunFolder.resume(directory)).rejects.toMatchObject({
      code: 'CHECKPOINT_INVALID',
      message: expect.stringMatching(/No checkpoint in .* is complete.*remove the folder/),
    });
  });

  test('that cannot be read now are no reason to go on from an earlier one', async () => {
    const directory = await place();
    await tiny({ run: await newRun(directory) }).trainer.fit();
    const state = join(directory, 'checkpoints', 'step-000008', 'trainer.json');
    await rm(state);
    await mkdir(state);
    await expect(RunFolder.resume(directory)).rejects.toMatchObject({
      code: 'CHECKPOINT_INVALID',
      message: expect.stringContaining('EISDIR'),
    });
  });

  test('that are incomplete are refused by name', async () => {
    const directory = await place();
    await tiny({ run: await newRun(directory) }).trainer.fit();
    const checkpoint = join(directory, 'checkpoints', 'step-000006');
    await rm(join(checkpoint, 'backend', 'in-memory.json'));
    await expect(RunFolder.resume(checkpoint)).rejects.toMatchObject({
      code: 'CHECKPOINT_INVALID',
      message: expect.stringContaining('backend/in-memory.json is missing'),
    });
  });
});

describe('a resumed run', () => {
  async function interrupted(directory: string, atStep: number, config = {}): Promise<void> {
    const controller = new AbortController();
    const hooks = {
      onBatchEnd: ({ globalStep }: { globalStep: number }) => {
        if (globalStep === atStep) controller.abort();
      },
    };
    const run = await newRun(directory, config);
    const { trainer } = tiny({ config, run, hooks: [{ plugin: 'stop', hooks }] });
    const summary = await trainer.fit({ signal: controller.signal });
    expect(summary).toMatchObject({ status: 'interrupted', steps: atStep });
    expect(summary.checkpoint).toMatch(/step-0+\d$/);
  }

  test.each([1, 2, 4, 7])('that was interrupted at step %i ends as one that was not', async (atStep) => {
    const whole = await place();
    await tiny({ run: await newRun(whole) }).trainer.fit();
    const directory = await place();
    await interrupted(directory, atStep);
    const events = await collect(tiny({ run: await RunFolder.resume(directory) }).trainer);
    expect(events[0]).toMatchObject({ event: 'start', resumedFrom: atStep, totalSteps: 8 });
    expect(await readNumbers(directory)).toEqual(await readNumbers(whole));
    expect((await json(join(directory, 'manifest.json')))['resumed']).toEqual([
      {
        time: expect.any(String),
        step: atStep,
        ended: { time: expect.any(String), status: 'interrupted', step: atStep, stopped: null, error: null },
      },
    ]);
  });

  test('that was gone on with elsewhere meanwhile is left alone', async () => {
    const directory = await place();
    await interrupted(directory, 2);
    const late = tiny({ run: await RunFolder.resume(directory) });
    await tiny({ run: await RunFolder.resume(directory) }).trainer.fit();
    const [numbers, manifest] = [await readNumbers(directory), await json(join(directory, 'manifest.json'))];
    await expect(late.trainer.fit()).rejects.toMatchObject({
      code: 'RUN_DIR_INVALID',
      message: expect.stringContaining('gone on with elsewhere'),
    });
    expect(await readNumbers(directory)).toEqual(numbers);
    expect(await json(join(directory, 'manifest.json'))).toEqual(manifest);
    expect(await readdir(join(directory, 'checkpoints'))).toContain('step-000008');
    expect(await readdir(directory)).not.toContain('run.lock');
  });

  test('runs every batch exactly once', async () => {
    const asked: string[] = [];
    const policy = ({ identity }: { identity: { taskId: string; mode: string; rolloutIndex: number } }) => {
      if (identity.mode === 'train' && identity.rolloutIndex === 0) asked.push(identity.taskId);
      return 'yes';
    };
    const whole = await place();
    await tiny({ policy, run: await newRun(whole) }).trainer.fit();
    const expected = asked.splice(0);
    const directory = await place();
    const controller = new AbortController();
    const hooks = {
      onBatchEnd: ({ globalStep }: { globalStep: number }) => {
        if (globalStep === 3) controller.abort();
      },
    };
    await tiny({ policy, run: await newRun(directory), hooks: [{ plugin: 'stop', hooks }] }).trainer.fit({
      signal: controller.signal,
    });
    await tiny({ policy, run: await RunFolder.resume(directory) }).trainer.fit();
    expect(asked).toEqual(expected);
  });

  test('does not repeat the validation of its checkpoint', async () => {
    const directory = await place();
    const config = { trainer: { totalBatches: 4, testFreq: 4 } };
    await tiny({ config, run: await newRun(directory, config) }).trainer.fit();
    const before = await readNumbers(directory);
    const events = await collect(tiny({ config, run: await RunFolder.resume(directory) }).trainer);
    expect(events.map(({ event }) => event)).toEqual(['start', 'end']);
    expect(await readNumbers(directory)).toEqual(before);
  });

  test('redoes a validation that did not finish', async () => {
    const directory = await place();
    const config = {
      trainer: { totalBatches: 8, testFreq: 4, saveFreq: 4 },
      workflow: { retryLimit: 1 },
    };
    let breaks = true;
    const first = tiny({
      config,
      run: await newRun(directory, config),
      workflow: async (task, context) => {
        if (breaks && context.mode === 'val' && context.step === 4) throw new Error('out of quota');
        await ask(task, context);
      },
    });
    await expect(first.trainer.fit()).rejects.toMatchObject({ code: 'WORKFLOW_FAILED' });
    breaks = false;
    const run = await RunFolder.resume(directory);
    expect(run.checkpoint?.state.step).toBe(4);
    const { trainer } = tiny({ config, run });
    const events = await collect(trainer);
    const kinds = events.filter(({ event }) => event === 'validation' || event === 'step');
    expect(kinds[0]).toMatchObject({ event: 'validation', step: 4 });
    expect(kinds[1]).toMatchObject({ event: 'step', step: 5 });
  });

  test('may be made longer', async () => {
    const directory = await place();
    await tiny({ run: await newRun(directory) }).trainer.fit();
    const config = { trainer: { totalEpochs: 3 } };
    const summary = await tiny({ config, run: await RunFolder.resume(directory) }).trainer.fit();
    expect(summary).toMatchObject({ status: 'completed', steps: 12 });
    const steps = (await readLines(directory)).filter(({ kind }) => kind === 'train').map(({ step }) => step);
    expect(steps).toEqual(Array.from({ length: 12 }, (_, i) => i + 1));
  });

  test.each([
    ['the estimator', { algorithm: { estimator: 'rloo' } }, 'algorithm.estimator'],
    ['the batch size', { data: { trainBatchSize: 4 } }, 'data.trainBatchSize'],
    ['the seed', { trainer: { seed: 5 } }, 'trainer.seed'],
    ['the rollouts', { rollout: { n: 2 } }, 'rollout.n'],
    [
      "the backend's options",
      { backend: { options: { local: { workers: 3 } } } },
      'backend.options.local.workers',
    ],
  ])('is refused when %s changed, and stays as it is', async (_, config, path) => {
    const directory = await place();
    await interrupted(directory, 3);
    const before = await readFile(join(directory, 'metrics.jsonl'), 'utf8');
    const { trainer } = tiny({ config, run: await RunFolder.resume(directory) });
    await expect(trainer.fit()).rejects.toMatchObject({
      code: 'CHECKPOINT_INVALID',
      details: { changed: expect.arrayContaining([path]) },
      message: expect.stringContaining(path),
    });
    expect(await readFile(join(directory, 'metrics.jsonl'), 'utf8')).toBe(before);
  });

  test('is refused when it would be longer but its learning rate depends on its length', async () => {
    const directory = await place();
    const algorithm = { lrSchedule: 'linear' } as const;
    await interrupted(directory, 3, { algorithm });
    const config = { algorithm, trainer: { totalEpochs: 3 } };
    const { trainer } = tiny({ config, run: await RunFolder.resume(directory) });
    await expect(trainer.fit()).rejects.toMatchObject({ details: { changed: ['trainer.totalEpochs'] } });
  });

  test('is refused when its data changed, but not when only its file moved', async () => {
    const directory = await place();
    await interrupted(directory, 3);
    const other = tasks(8).map((task) => ({ ...task, answer: 'no' }));
    const changed = tiny({ trainData: other, run: await RunFolder.resume(directory) });
    await expect(changed.trainer.fit()).rejects.toMatchObject({
      code: 'CHECKPOINT_INVALID',
      message: expect.stringContaining('data.train (its rows)'),
    });
    const config = { data: { train: 'elsewhere.jsonl' }, trainer: { saveFreq: 1, testFreq: 4 } };
    const moved = tiny({ config, run: await RunFolder.resume(directory) });
    expect(await moved.trainer.fit()).toMatchObject({ status: 'completed', steps: 8 });
  });

  test('is refused when its validation data changed, but not when there is none any more', async () => {
    const directory = await place();
    await interrupted(directory, 3);
    const changed = tiny({ valData: tasks(2), run: await RunFolder.resume(directory) });
    await expect(changed.trainer.fit()).rejects.toMatchObject({
      details: { changed: ['data.val (its rows)'] },
    });
    const without = tiny({ valData: undefined, run: await RunFolder.resume(directory) });
    expect(await without.trainer.fit()).toMatchObject({ status: 'completed', steps: 8 });
  });

  test('may go back to an earlier checkpoint, and later ones are removed', async () => {
    const directory = await place();
    await tiny({ run: await newRun(directory) }).trainer.fit();
    const before = await readNumbers(directory);
    const run = await RunFolder.resume(join(directory, 'checkpoints', 'step-000003'));
    expect(run.directory).toBe(directory);
    await tiny({ run }).trainer.fit();
    expect(await readNumbers(directory)).toEqual(before);
  });

  test('gives its weights to a validation, which leaves its folder as it is', async () => {
    const directory = await place();
    await interrupted(directory, 5);
    const before = (await readdir(directory, { recursive: true })).sort();
    const resumed = tiny({ run: await RunFolder.resume(directory) });
    const apart = tiny({ weights: join(directory, 'checkpoints', 'step-000005') });
    const metrics = await resumed.trainer.validate();
    expect(await apart.trainer.validate()).toMatchObject({
      'val/unknown/pass@1': metrics['val/unknown/pass@1'],
    });
    expect(resumed.backend.weightVersion).toBe(5);
    expect(apart.backend.weightVersion).toBe(5);
    expect((await readdir(directory, { recursive: true })).sort()).toEqual(before);
  });

  test('keeps the state of its estimators', async () => {
    const registry = () => {
      const made = new EstimatorRegistry();
      made.override('running', Running, 'test');
      return made;
    };
    const config = { algorithm: { estimator: 'running' } };
    const whole = await place();
    await tiny({ config, estimators: registry(), run: await newRun(whole, config) }).trainer.fit();
    const directory = await place();
    const controller = new AbortController();
    const hooks = { onBatchEnd: () => controller.abort() };
    await tiny({
      config,
      estimators: registry(),
      run: await newRun(directory, config),
      hooks: [{ plugin: 'stop', hooks }],
    }).trainer.fit({ signal: controller.signal });
    const run = await RunFolder.resume(directory);
    await tiny({ config, estimators: registry(), run }).trainer.fit();
    expect(await readNumbers(directory)).toEqual(await readNumbers(whole));
  });
});

/** Compares rewards with their running mean over all batches, to have a state. */
class Running {
  mean = 0;
  estimate({ rewards }: { rewards: readonly Float64Array[] }): { advantages: number[][] } {
    return {
      advantages: rewards.map((group) =>
        [...group].map((reward) => {
          this.mean = 0.9 * this.mean + 0.1 * reward;
          return reward - this.mean;
        }),
      ),
    };
  }
  stateDict(): { mean: number } {
    return { mean: this.mean };
  }
  loadStateDict(state: unknown): void {
    this.mean = (state as { mean: number }).mean;
  }
}

test('a place that no folder can be made in is refused with a code', async () => {
  const base = await folders.make();
  const run = await newRun(join(base, 'runs', 'run'));
  await writeFile(join(base, 'runs'), 'no folder');
  await expect(run.claim()).rejects.toMatchObject({
    code: 'RUN_DIR_INVALID',
    message: expect.stringContaining('cannot be written'),
  });
});
