import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { RunFolder, type TrainerEvent } from '../../src/trainer/index.js';
import type { LifecycleHooks } from '../../src/types/index.js';
import { newRun, tempFolders, tiny, tinyConfig } from './tiny-run.js';

const folders = tempFolders();
afterEach(() => folders.clear());

const refuses: LifecycleHooks = {
  onTrainStart() {
    throw new Error('no licence');
  },
};
const hooks = [{ plugin: 'mine', hooks: refuses }];

/** Path → content of every file below a folder. */
async function filesIn(directory: string): Promise<Readonly<Record<string, string>>> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
  return Object.fromEntries(
    await Promise.all(files.sort().map(async (path) => [path, await readFile(path, 'latin1')] as const)),
  );
}

async function expectRefused(run: RunFolder, steps = 0): Promise<void> {
  const events: TrainerEvent[] = [];
  const { trainer } = tiny({ run, hooks });
  const reading = (async () => {
    for await (const event of trainer.events()) events.push(event);
  })();
  await expect(reading).rejects.toMatchObject({ code: 'HOOK_FAILED' });
  // No `start`: there is no run to look at.
  expect(events).toMatchObject([{ event: 'end', status: 'failed', summary: { steps } }]);
}

describe('a hook that throws at the start of training', () => {
  test('leaves no new folder, nor those made on the way to it', async () => {
    const base = await folders.make();
    const config = tinyConfig();
    await expectRefused(await RunFolder.create({ config, configRecord: {}, baseDirectory: base }));
    expect(await readdir(base)).toEqual([]);
  });

  test('leaves folders that were there, and runs beside it', async () => {
    const base = await folders.make();
    await mkdir(join(base, 'runs'));
    const config = tinyConfig();
    const create = () => RunFolder.create({ config, configRecord: {}, baseDirectory: base });
    const run = await create();
    await tiny({ run }).trainer.fit();
    const before = await filesIn(base);
    await expectRefused(await create());
    expect(await filesIn(base)).toEqual(before);
    await mkdir(join(base, 'given'));
    await expectRefused(await newRun(join(base, 'given')));
    expect(await readdir(join(base, 'given'))).toEqual([]);
  });

  test('takes with it what hooks before it have written into the new folder', async () => {
    const base = await folders.make();
    const writes: LifecycleHooks = {
      onTrainStart: (_state, { directory }) =>
        writeFile(join(directory, 'notes.txt'), 'of a run that is none'),
    };
    const run = await newRun(join(base, 'run'));
    const both = [{ plugin: 'writes', hooks: writes }, ...hooks];
    await expect(tiny({ run, hooks: both }).trainer.fit()).rejects.toMatchObject({ code: 'HOOK_FAILED' });
    expect(await readdir(base)).toEqual([]);
    await tiny({
      run: await newRun(join(base, 'run')),
      hooks: [{ plugin: 'writes', hooks: writes }],
    }).trainer.fit();
    expect(await readdir(join(base, 'run'))).toContain('notes.txt');
  });

  test('leaves the folder of a resumed run as it was, byte for byte', async () => {
    const directory = join(await folders.make(), 'run');
    await tiny({ run: await newRun(directory) }).trainer.fit();
    // From an earlier checkpoint, so that going on would take much back.
    const checkpoint = join(directory, 'checkpoints', 'step-000003');
    const before = await filesIn(directory);
    await expectRefused(await RunFolder.resume(checkpoint), 3);
    expect(await filesIn(directory)).toEqual(before);
  });
});

describe('a run that fails later', () => {
  test.each(['onBatchEnd', 'onValidationStart', 'onCheckpoint', 'onTrainEnd'] as const)(
    'in %s leaves a folder that says so, and can be resumed',
    async (point) => {
      const directory = join(await folders.make(), 'run');
      const failing = { [point]: () => Promise.reject(new Error('no disk')) };
      const { trainer } = tiny({ run: await newRun(directory), hooks: [{ plugin: 'mine', hooks: failing }] });
      const error = await trainer.fit().catch((thrown: Error) => thrown.message);
      const manifest = JSON.parse(await readFile(join(directory, 'manifest.json'), 'utf8')) as object;
      expect(manifest).toMatchObject({
        ended: { status: 'failed', stopped: null, error: { code: 'HOOK_FAILED', message: error } },
      });
      const summary = await tiny({ run: await RunFolder.resume(directory) }).trainer.fit();
      expect(summary).toMatchObject({ status: 'completed', steps: 8 });
      const after = JSON.parse(await readFile(join(directory, 'manifest.json'), 'utf8')) as object;
      expect(after).toMatchObject({
        resumed: [{ ended: { status: 'failed' } }],
        ended: { status: 'completed', step: 8, error: null },
      });
    },
  );

  test('that is shut down is interrupted', async () => {
    const directory = join(await folders.make(), 'run');
    const { trainer } = tiny({
      run: await newRun(directory),
      hooks: [{ plugin: 'mine', hooks: { onBatchEnd: () => void trainer.shutdown() } }],
    });
    await expect(trainer.fit()).rejects.toMatchObject({ code: 'ABORTED' });
    const manifest = JSON.parse(await readFile(join(directory, 'manifest.json'), 'utf8')) as object;
    expect(manifest).toMatchObject({ ended: { status: 'interrupted', error: { code: 'ABORTED' } } });
  });
});
