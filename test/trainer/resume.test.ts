import { access, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import type { RllmConfigInput } from '../../src/config/index.js';
import { RunFolder } from '../../src/trainer/index.js';
import { crashAt } from './crash-points.js';
import { newRun, readNumbers, tempFolders, tiny } from './tiny-run.js';

/** Instants per case; `TEST_CRASHES=all` takes every one. */
const POINTS = process.env['TEST_CRASHES'] === 'all' ? Number.POSITIVE_INFINITY : 10;

const folders = tempFolders();
afterAll(() => folders.clear());

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

/** Starts a run in a folder, or goes on with the one that is there, as a user would. */
async function startOrResume(directory: string, config: RllmConfigInput): Promise<RunFolder> {
  if (await exists(join(directory, 'manifest.json'))) return RunFolder.resume(directory);
  return newRun(directory, config);
}

const SHORT: RllmConfigInput = {
  rollout: { n: 2, nVal: 1 },
  trainer: { totalBatches: 4, saveFreq: 2, testFreq: 2 },
};
const CONFIGS: [string, RllmConfigInput][] = [
  ['with episodes', { ...SHORT, data: { trainBatchSize: 1 }, tracking: { logEpisodes: true } }],
  [
    'while rejected episodes accumulate',
    {
      rejectionSample: { mode: 'episode', minPartialSolveTasks: 3 },
      data: { trainBatchSize: 3, dropLast: false },
      trainer: { totalBatches: 5, saveFreq: 2, testFreq: 3, keepCheckpoints: 1 },
      algorithm: { estimator: 'rloo' },
    },
  ],
];

describe.each(CONFIGS)('a run %s', (_, config) => {
  test.each([
    ['between two writes of files', false],
    ['within a write', true],
  ])('killed %s ends, resumed, with the metrics and files of one that was not', async (_when, torn) => {
    const whole = join(await folders.make(), 'run');
    const counting = await crashAt(Number.POSITIVE_INFINITY, false);
    await tiny({ config, run: await newRun(whole, config) }).trainer.fit();
    counting.restore();
    const expected = await readNumbers(whole);
    const files = (await readdir(whole, { recursive: true })).sort();
    const stride = Math.max(1, Math.ceil(counting.count / POINTS));

    for (let at = torn ? stride >> 1 : 0; at < counting.count; at += stride) {
      const directory = join(await folders.make(), 'run');
      const crash = await crashAt(at, torn);
      const killed = await startOrResume(directory, config);
      tiny({ config, run: killed })
        .trainer.fit()
        .catch(() => undefined);
      await crash.happened;
      crash.restore();
      await killed.close();
      await tiny({ config, run: await startOrResume(directory, config) }).trainer.fit();
      expect(await readNumbers(directory), `killed at write ${at}`).toEqual(expected);
      expect((await readdir(directory, { recursive: true })).sort(), `killed at write ${at}`).toEqual(files);
      await rm(directory, { recursive: true });
    }
  });
});

test('a run killed again and again while it resumes still ends with the same metrics', async () => {
  const whole = join(await folders.make(), 'run');
  await tiny({ run: await newRun(whole) }).trainer.fit();
  const directory = join(await folders.make(), 'run');
  for (const at of [22, 17, 9, 31, 4, 26, 13]) {
    const crash = await crashAt(at, at % 2 === 0);
    const killed = await startOrResume(directory, {});
    const done = tiny({ run: killed }).trainer.fit();
    await Promise.race([crash.happened, done.catch(() => undefined)]);
    crash.restore();
    await killed.close();
  }
  await tiny({ run: await startOrResume(directory, {}) }).trainer.fit();
  expect(await readNumbers(directory)).toEqual(await readNumbers(whole));
});
