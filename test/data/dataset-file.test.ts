import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadDatasetFile } from '../../src/data/index.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rllm-data-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function file(name: string, content: string | Uint8Array): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, content);
  return path;
}

describe('a dataset file', () => {
  test('in JSON Lines gives a row per line, empty lines left out', async () => {
    const path = await file('good.jsonl', '\uFEFF{"id":"a","n":1}\r\n\n{"id":"b","n":2}\n');
    expect(await loadDatasetFile(path)).toEqual([
      { id: 'a', n: 1 },
      { id: 'b', n: 2 },
    ]);
  });

  test('in JSON is an array of rows', async () => {
    const path = await file('good.json', '[{"q":"x"},{"q":"y"}]');
    expect(await loadDatasetFile(path)).toEqual([{ q: 'x' }, { q: 'y' }]);
  });

  test.each([
    ['a line that is not JSON', 'syntax.jsonl', '{"a":1}\n{"a":2,}\n', /syntax\.jsonl:2: .*\{"a":2,\}/],
    ['two objects on a line', 'two.jsonl', '{"a":1} {"a":2}\n', /two\.jsonl:1: /],
    [
      'a row that is a number',
      'number.jsonl',
      '{"a":1}\n\n42\n',
      /number\.jsonl:3: a row must be an object.*42/,
    ],
    ['a row that is an array', 'array.jsonl', '[1]\n', /array\.jsonl:1: .*an array/],
    ['a row that is null', 'null.jsonl', 'null\n', /null\.jsonl:1: .*null/],
    [
      'an id used twice',
      'twice.jsonl',
      '{"id":"a"}\n{"id":"b"}\n\n{"id":"a","long":1}\n',
      /twice\.jsonl:4: the id "a" is already that of line 1: \{"id":"a","long":1\}/,
    ],
    ['an id that is an object', 'object.jsonl', '{"id":{"x":1}}\n', /object\.jsonl:1: .*"id".*\{"x":1\}/],
    [
      'an id that equals the name of an unnamed row',
      'clash.jsonl',
      '{"id":"row-1"}\n{"q":1}\n',
      /clash\.jsonl:2: .*"row-1".*line 1/,
    ],
    ['a wrong row of a JSON array', 'rows.json', '[\n  {"a": "[{,\\"\\n"},\n\n  7\n]', /rows\.json:4: .*7/],
    [
      'an id used twice in a JSON array',
      'ids.json',
      '[{"id":1},\n {"id":[2,3].length}]'.replace('[2,3].length', '1'),
      /ids\.json:2: the id "1" is already that of line 1/,
    ],
    ['JSON that is not an array', 'map.json', '{"rows":[]}', /map\.json:1: .*array of objects.*\{"rows"/],
    ['JSON that does not parse', 'broken.json', '[\n{"a":1},\n{"a":2,}\n]', /broken\.json:3: /],
    ['an unknown ending', 'rows.csv', 'a,b\n', /rows\.csv: .*\.jsonl or \.json/],
  ])('with %s is refused by file and line', async (_, name, content, message) => {
    const path = await file(name, content);
    await expect(loadDatasetFile(path)).rejects.toMatchObject({
      code: 'DATASET_INVALID',
      message: expect.stringMatching(message),
    });
  });

  test('that is not UTF-8 is refused', async () => {
    const path = await file('latin.jsonl', new Uint8Array([0x7b, 0x22, 0xe9, 0x22, 0x7d]));
    await expect(loadDatasetFile(path)).rejects.toMatchObject({ code: 'DATASET_INVALID' });
  });

  test('that is missing is refused by its name', async () => {
    await expect(loadDatasetFile(join(folder, 'none.jsonl'))).rejects.toMatchObject({
      code: 'DATASET_INVALID',
      message: expect.stringContaining('none.jsonl'),
    });
  });

  test.each([
    ['empty.jsonl', '\n\n'],
    ['empty.json', '[]'],
  ])('without rows is empty: %s', async (name, content) => {
    const path = await file(name, content);
    await expect(loadDatasetFile(path)).rejects.toMatchObject({ code: 'DATASET_EMPTY' });
  });

  test('takes ids from the field that is named', async () => {
    const path = await file('field.jsonl', '{"key":"k"}\n{"key":"k"}\n');
    expect(await loadDatasetFile(path)).toHaveLength(2);
    await expect(loadDatasetFile(path, { idField: 'key' })).rejects.toMatchObject({
      code: 'DATASET_INVALID',
      details: { lines: [1, 2] },
    });
  });
});
