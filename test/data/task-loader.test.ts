import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type DataCursor, type Dataset, TaskLoader, type TaskLoaderOptions } from '../../src/data/index.js';

const options: TaskLoaderOptions = {
  name: 'training data',
  idField: 'id',
  sourceField: 'data_source',
  batchSize: 4,
  shuffle: true,
  dropLast: true,
  seed: 0,
};

function loader(dataset: Dataset, more: Partial<TaskLoaderOptions> = {}): Promise<TaskLoader> {
  return TaskLoader.create(dataset, { ...options, ...more });
}

function numbered(n: number): { id: string }[] {
  return Array.from({ length: n }, (_, i) => ({ id: `t${i}` }));
}

/** Task ids of the next `count` batches from a cursor on. */
function idsFrom(from: TaskLoader, cursor: DataCursor, count: number): string[][] {
  const batches: string[][] = [];
  let at = cursor;
  for (let i = 0; i < count; i++) {
    const batch = from.at(at);
    batches.push(batch.items.map((item) => item.taskId));
    at = batch.next;
  }
  return batches;
}

const START: DataCursor = { epoch: 0, index: 0 };

describe('a task loader', () => {
  test('plans 122 batches of 4 for 490 tasks when the last is dropped, and gives exactly these', async () => {
    const tasks = await loader(numbered(490));
    expect(tasks.batchesPerEpoch).toBe(122);
    expect([...tasks.epoch(0)]).toHaveLength(122);
  });

  test('gives each of 9 tasks exactly once per epoch in batches of 3', async () => {
    const tasks = await loader(numbered(9), { batchSize: 3 });
    const ids = [...tasks.epoch(0)].flatMap((batch) => batch.items.map((item) => item.taskId));
    expect([...ids].sort()).toEqual(numbered(9).map((task) => task.id));
  });

  test('gives the partial batch too when the last is kept', async () => {
    const tasks = await loader(numbered(10), { dropLast: false });
    expect([...tasks.epoch(0)].map((batch) => batch.items.length)).toEqual([4, 4, 2]);
    expect(tasks.batchesPerEpoch).toBe(3);
  });

  test('says where an epoch starts and ends', async () => {
    const tasks = await loader(numbered(8));
    expect([...tasks.epoch(0)].map(({ startsEpoch, endsEpoch }) => [startsEpoch, endsEpoch])).toEqual([
      [true, false],
      [false, true],
    ]);
  });

  test('orders seed 0 epoch 1 unlike seed 1 epoch 0', async () => {
    const zero = await loader(numbered(40), { seed: 0 });
    const one = await loader(numbered(40), { seed: 1 });
    expect(idsFrom(zero, { epoch: 1, index: 0 }, 10)).not.toEqual(idsFrom(one, { epoch: 0, index: 0 }, 10));
  });

  test('orders two epochs unlike each other', async () => {
    const tasks = await loader(numbered(40));
    expect(idsFrom(tasks, { epoch: 0, index: 0 }, 10)).not.toEqual(
      idsFrom(tasks, { epoch: 1, index: 0 }, 10),
    );
  });

  test('keeps the order of the dataset without shuffling', async () => {
    const tasks = await loader(numbered(8), { shuffle: false });
    expect(idsFrom(tasks, START, 2).flat()).toEqual(numbered(8).map((task) => task.id));
  });

  test('resumed at a cursor goes on with the very batches that would have come', () => {
    return fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 30 }),
        fc.integer({ min: 1, max: 7 }),
        fc.boolean(),
        fc.nat(12),
        async (rows, batchSize, dropLast, stop) => {
          fc.pre(!dropLast || rows >= batchSize);
          const whole = idsFrom(await loader(numbered(rows), { batchSize, dropLast }), START, stop + 8);
          const first = await loader(numbered(rows), { batchSize, dropLast });
          let cursor = START;
          for (let i = 0; i < stop; i++) cursor = first.at(cursor).next;
          const second = await loader(numbered(rows), { batchSize, dropLast });
          expect(idsFrom(second, JSON.parse(JSON.stringify(cursor)), 8)).toEqual(whole.slice(stop));
        },
      ),
      { numRuns: 60 },
    );
  });

  test('covers every task once per epoch whatever the batch size', () => {
    return fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 40 }),
        fc.integer({ min: 1, max: 50 }),
        fc.nat(3),
        async (rows, batchSize, epoch) => {
          const tasks = await loader(numbered(rows), { batchSize, dropLast: false });
          const ids = [...tasks.epoch(epoch)].flatMap((batch) => batch.items.map((item) => item.taskId));
          expect([...ids].sort()).toEqual(
            numbered(rows)
              .map((task) => task.id)
              .sort(),
          );
        },
      ),
      { numRuns: 60 },
    );
  });

  test('takes no id or source from what every row inherits', async () => {
    const names = { idField: 'constructor', sourceField: 'toString' };
    const tasks = await loader([{ q: 1 }], { batchSize: 1, ...names });
    expect(tasks.at(START).items).toEqual([{ taskId: 'row-0', task: { q: 1 }, dataSource: 'unknown' }]);
  });

  test('names rows without an id by their position and takes their source', async () => {
    const tasks = await loader([{ q: 1 }, { id: 7, data_source: 'gsm' }], { batchSize: 2, shuffle: false });
    expect(tasks.at(START).items).toEqual([
      { taskId: 'row-0', task: { q: 1 }, dataSource: 'unknown' },
      { taskId: '7', task: { id: 7, data_source: 'gsm' }, dataSource: 'gsm' },
    ]);
  });

  test('reads an async iterable to its end', async () => {
    async function* rows(): AsyncGenerator<{ id: string }> {
      yield { id: 'a' };
      yield { id: 'b' };
    }
    expect((await loader(rows(), { batchSize: 1 })).size).toBe(2);
  });

  test('knows by its hash that a dataset was changed', async () => {
    const hashes = await Promise.all([
      loader([{ id: 'a', q: 1 }], { batchSize: 1 }),
      loader([{ id: 'a', q: 1 }], { batchSize: 1 }),
      loader([{ id: 'a', q: 2 }], { batchSize: 1 }),
    ]);
    expect(hashes[1]?.hash).toBe(hashes[0]?.hash);
    expect(hashes[2]?.hash).not.toBe(hashes[0]?.hash);
  });

  test.each<[string, Dataset, string]>([
    ['no rows', [], 'DATASET_EMPTY'],
    ['fewer rows than a batch', numbered(3), 'DATASET_TOO_SMALL'],
    ['two rows of one id', [{ id: 'a' }, { id: 'b' }, { id: 'a' }, { id: 'c' }], 'DATASET_INVALID'],
  ])('refuses a dataset with %s', async (_, dataset, code) => {
    await expect(loader(dataset)).rejects.toMatchObject({ code });
  });

  test('refuses rows that are not objects, and iterables that throw', async () => {
    const numbers = JSON.parse('[1, 2]');
    await expect(loader(numbers)).rejects.toMatchObject({ code: 'DATASET_INVALID' });
    async function* broken(): AsyncGenerator<{ id: string }> {
      yield { id: 'a' };
      throw new Error('the pipe is closed');
    }
    await expect(loader(broken())).rejects.toMatchObject({
      code: 'DATASET_INVALID',
      message: expect.stringContaining('after 1 rows: the pipe is closed'),
    });
  });
});
