import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { loadConfig, type RllmConfigInput } from '../../src/config/index.js';
import { createApp } from '../../src/container/index.js';
import type { Dataset, DatasetContext, DatasetSource } from '../../src/data/index.js';
import { RllmError } from '../../src/errors.js';
import { definePlugin, type PluginDefinition } from '../../src/plugin-host/index.js';
import { errorOf, faultPaths, inMemory, memoryPlugin, TRAINS } from '../container/app-kit.js';
import { createProject } from '../plugin-host/project.js';

const rows = (n: number): { id: string; question: string }[] =>
  Array.from({ length: n }, (_, i) => ({ id: `t${i}`, question: 'Is it so?' }));

const bringing = (source: DatasetSource): PluginDefinition =>
  definePlugin({ name: 'tables', apiVersion: 1, version: '1.2.3', datasets: [source] });

const counted: DatasetSource<{ readonly count: number }> = {
  name: 'counted',
  summary: 'rows by number',
  options: z.strictObject({ count: z.number() }),
  async *open({ count }) {
    yield* rows(count);
  },
};

/** What the first step of a run on a source trained. */
async function train(source: DatasetSource, train: NonNullable<RllmConfigInput['data']>['train']) {
  const config = { ...TRAINS, data: { trainBatchSize: 2, idField: 'id', train } };
  const plugins = [memoryPlugin(), bringing(source)];
  await using app = await createApp(
    config,
    inMemory({ plugins, trainData: undefined, baseDirectory: '/base' }),
  );
  return await (await app.trainer()).fit();
}

const opening = (
  open: (options: unknown, context: DatasetContext) => Dataset | Promise<Dataset>,
): DatasetSource => ({
  name: 'own',
  summary: '',
  open,
});

describe('a dataset source', () => {
  test('is opened with its options, and gives the rows of the run', async () => {
    expect(await train(counted, { use: 'counted', options: { count: 6 } })).toMatchObject({ steps: 6 });
  });

  test('learns where paths start from, what holds the id, and when to stop', async () => {
    const seen: DatasetContext[] = [];
    const source = opening((_, context) => {
      seen.push(context);
      return rows(2);
    });
    await train(source, { use: 'own' });
    expect(seen).toMatchObject([{ baseDirectory: '/base', idField: 'id' }]);
    expect(seen[0]?.signal.aborted).toBe(true);
  });

  test.each<{ what: string; open: () => Dataset | Promise<Dataset>; code: string; says: string }>([
    {
      what: 'throws',
      open: () => {
        throw new Error('no such table');
      },
      code: 'DATASET_INVALID',
      says: 'The dataset source "own" of tables@1.2.3 failed: no such table',
    },
    {
      what: 'throws an error of the SDK',
      open: () => {
        throw new RllmError('DATASET_EMPTY', 'The table is empty.');
      },
      code: 'DATASET_EMPTY',
      says: 'The dataset source "own" of tables@1.2.3: The table is empty.',
    },
    {
      what: 'breaks off',
      open: async function* () {
        yield* rows(1);
        throw new Error('the line is cut');
      },
      code: 'DATASET_INVALID',
      says: 'failed after 1 rows: the line is cut',
    },
    {
      what: 'gives no rows at all',
      open: () => 7 as never,
      code: 'DATASET_INVALID',
      says: 'The dataset source "own" of tables@1.2.3',
    },
    {
      what: 'gives a row that is no object',
      open: () => [3 as never],
      code: 'DATASET_INVALID',
      says: 'The dataset source "own" of tables@1.2.3: Row 0',
    },
    {
      what: 'gives two rows of one id',
      open: () => [...rows(2), ...rows(1)],
      code: 'DATASET_INVALID',
      says: 'the training data of "own" have the same id "t0"',
    },
    {
      what: 'gives what JSON cannot hold',
      open: () => [{ id: 'a', big: 1n }, ...rows(1)],
      code: 'DATASET_INVALID',
      says: 'cannot be written as JSON',
    },
  ])('that $what is told by its name and owner', async ({ open, code, says }) => {
    const error = await errorOf(train(opening(open), { use: 'own' }));
    expect(error).toMatchObject({ code, message: expect.stringContaining(says) });
  });

  test('that nothing brings, and options that it does not take, are refused at start', async () => {
    const data = { train: { use: 'conted' }, val: { use: 'counted', options: { count: 'x' as never } } };
    const plugins = [memoryPlugin(), bringing(counted)];
    const error = await errorOf(createApp({ ...TRAINS, data }, inMemory({ plugins })));
    expect(faultPaths(error)).toEqual(['data.train.use', 'data.val.options.count']);
    expect(error.message).toContain('Did you mean "counted"?');
    const none = await errorOf(
      createApp(
        { ...TRAINS, data: { train: { use: 'own', options: { a: 1 } } } },
        inMemory({ plugins: [memoryPlugin(), bringing(opening(() => []))] }),
      ),
    );
    expect(faultPaths(none)).toEqual(['data.train.options.a']);
  });
});

describe('data.train as a text', () => {
  const project = (config: object): Promise<string> =>
    createProject({
      'rllmrc.json': config,
      'x.jsonl': rows(4)
        .map((row) => JSON.stringify(row))
        .join('\n'),
    });
  const steps = async (config: object, set: readonly string[] = [], env = {}): Promise<number> => {
    const cwd = await project(config);
    const loaded = await loadConfig({ cwd, set: ['data.trainBatchSize=2', ...set], env });
    await using app = await createApp(loaded, inMemory({ trainData: undefined }));
    return (await (await app.trainer()).fit()).steps;
  };

  test('is a file beside the config, in the file, by a flag and by the environment', async () => {
    expect(await steps({ ...TRAINS, data: { train: 'x.jsonl' } })).toBe(4);
    expect(await steps(TRAINS, ['data.train=x.jsonl'])).toBe(4);
    expect(await steps(TRAINS, [], { RLLM_DATA__TRAIN: 'x.jsonl' })).toBe(4);
  });

  test('takes the place of a whole source, and a source can be changed in part', async () => {
    const directory = await project({
      ...TRAINS,
      data: { train: { use: 'counted', options: { count: 6 } } },
    });
    const loaded = await loadConfig({ cwd: directory, set: ['data.train=x.jsonl'], env: {} });
    expect(loaded.config.data.train).toEqual({ use: 'file', options: { path: 'x.jsonl' } });
    const changed = await loadConfig({ cwd: directory, set: ['data.train.options.count=2'], env: {} });
    expect(changed.config.data.train).toEqual({ use: 'counted', options: { count: 2 } });
  });

  test('that is empty, or no text, is refused where it stands', async () => {
    for (const train of ['', 7]) {
      const error = await errorOf(loadConfig({ cwd: await project({ data: { train } }), env: {} }));
      expect(faultPaths(error)).toEqual(['data.train']);
      expect(error.message).toContain('expected a name or an object, or null');
    }
  });
});
