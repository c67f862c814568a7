import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { createApp, defineWorkflow } from 'rllm-sdk';
import { inMemoryBackend } from 'rllm-sdk/testing';
import { describe, expect, test } from 'vitest';
import { DECOMPRESSORS } from '../src/decompressors.js';
import parquet, { parquetOptions } from '../src/index.js';
import { errorOf, open, roundTrip, tempFolder, write } from './support.js';

const QUESTIONS = [
  { name: 'question', data: ['1 + 1', '2 + 2', '3 + 3'] },
  { name: 'answer', data: ['2', '4', '6'] },
];

describe('types', () => {
  test('texts, numbers and booleans are what they are', async () => {
    const rows = await roundTrip([
      { name: 'text', data: ['größe', ''] },
      { name: 'int', data: [1, -2], type: 'INT32' },
      { name: 'double', data: [0.1, 1e300], type: 'DOUBLE' },
      { name: 'flag', data: [true, false] },
    ]);
    expect(rows).toEqual([
      { text: 'größe', int: 1, double: 0.1, flag: true },
      { text: '', int: -2, double: 1e300, flag: false },
    ]);
  });

  test('a 64-bit integer is a number while that is exact, and beyond its digits', async () => {
    const data = [5n, 9007199254740991n, 9007199254740993n, -9007199254740993n];
    const rows = await roundTrip([{ name: 'n', data, type: 'INT64' }]);
    expect(rows.map(({ n }) => n)).toEqual([5, 9007199254740991, '9007199254740993', '-9007199254740993']);
  });

  test('what is absent, and NaN, are null', async () => {
    const rows = await roundTrip([
      { name: 'text', data: ['a', null, undefined] },
      { name: 'double', data: [Number.NaN, null, 1], type: 'DOUBLE' },
    ]);
    expect(rows).toEqual([
      { text: 'a', double: null },
      { text: null, double: null },
      { text: null, double: 1 },
    ]);
  });

  test('days and times are ISO texts', async () => {
    const when = [new Date('2026-11-30T12:34:56.789Z'), new Date('1969-12-31T23:59:59.999Z'), null];
    const rows = await roundTrip(
      [
        { name: 'day', data: when },
        { name: 'time', data: when },
      ],
      {
        schema: [
          { name: 'root', num_children: 2 },
          { name: 'day', type: 'INT32', converted_type: 'DATE', repetition_type: 'OPTIONAL' },
          { name: 'time', type: 'INT64', converted_type: 'TIMESTAMP_MILLIS', repetition_type: 'OPTIONAL' },
        ],
      },
    );
    expect(rows).toEqual([
      { day: '2026-11-30', time: '2026-11-30T12:34:56.789Z' },
      { day: '1969-12-31', time: '1969-12-31T23:59:59.999Z' },
      { day: null, time: null },
    ]);
  });

  test.each([
    { unit: 'MICROS', count: 1_700_000_000_123_456n, expected: '2023-11-14T22:13:20.123456Z' },
    { unit: 'NANOS', count: 1_700_000_000_123_456_789n, expected: '2023-11-14T22:13:20.123456789Z' },
    { unit: 'NANOS', count: -1n, expected: '1969-12-31T23:59:59.999999999Z' },
  ] as const)('no digit of a time in $unit is lost', async ({ unit, count, expected }) => {
    const rows = await roundTrip([{ name: 'time', data: [count] }], {
      schema: [
        { name: 'root', num_children: 1 },
        {
          name: 'time',
          type: 'INT64',
          logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit },
          repetition_type: 'REQUIRED',
        },
      ],
    });
    expect(rows).toEqual([{ time: expected }]);
  });

  test('JSON columns are values, lists and structs too', async () => {
    const data = [{ a: [1, { b: null }] }, ['x']];
    expect(await roundTrip([{ name: 'value', data, type: 'JSON' }])).toEqual(
      data.map((value) => ({ value })),
    );
  });

  test('lists of structs are arrays of objects', async () => {
    const messages = [
      [
        { role: 'user', tokens: 3n },
        { role: 'assistant', tokens: 9007199254740993n },
      ],
      [],
      null,
    ];
    const rows = await roundTrip([{ name: 'messages', data: messages }], {
      schema: [
        { name: 'root', num_children: 1 },
        { name: 'messages', repetition_type: 'OPTIONAL', num_children: 1, converted_type: 'LIST' },
        { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
        { name: 'element', repetition_type: 'OPTIONAL', num_children: 2 },
        { name: 'role', type: 'BYTE_ARRAY', converted_type: 'UTF8', repetition_type: 'OPTIONAL' },
        { name: 'tokens', type: 'INT64', repetition_type: 'OPTIONAL' },
      ],
    });
    expect(rows).toEqual([
      {
        messages: [
          { role: 'user', tokens: 3 },
          { role: 'assistant', tokens: '9007199254740993' },
        ],
      },
      { messages: [] },
      { messages: null },
    ]);
  });

  test('bytes are their UTF-8 text', async () => {
    const data = [new TextEncoder().encode('größe')];
    expect(await roundTrip([{ name: 'bytes', data, type: 'BYTE_ARRAY' }])).toEqual([{ bytes: 'größe' }]);
  });
});

describe('what a row cannot hold names its file, its number and its column', () => {
  test.each([
    {
      what: 'bytes that are no text',
      name: 'image',
      type: 'BYTE_ARRAY',
      value: Uint8Array.of(255, 216),
      good: Uint8Array.of(65),
    },
    { what: 'an infinity', name: 'score', type: 'DOUBLE', value: Number.NEGATIVE_INFINITY, good: 1 },
  ] as const)('$what', async ({ name, type, value, good }) => {
    const folder = tempFolder();
    const data = [...Array.from({ length: 1200 }, () => good), value];
    const path = await write(folder, [{ name, data, type }]);
    const error = await errorOf(open(folder, { path }));
    expect(error.code).toBe('DATASET_INVALID');
    expect(error.message).toContain(`Row 1200 of ${join(folder, path)}: the column "${name}"`);
    expect(error.details).toMatchObject({ row: 1200, column: name });
  });

  test('and is no matter where the column is left out', async () => {
    const folder = tempFolder();
    const path = await write(folder, [
      { name: 'image', data: [Uint8Array.of(255)], type: 'BYTE_ARRAY' },
      { name: 'question', data: ['what is it?'] },
    ]);
    expect(await open(folder, { path, columns: ['question'] })).toEqual([{ question: 'what is it?' }]);
  });
});

describe('options', () => {
  test('columns chooses and orders, rename gives other names', async () => {
    const folder = tempFolder();
    const path = await write(folder, [...QUESTIONS, { name: 'extra', data: [1, 2, 3] }]);
    const rows = await open(folder, {
      path,
      columns: ['answer', 'question'],
      rename: { question: 'prompt' },
    });
    expect(rows[0]).toEqual({ answer: '2', prompt: '1 + 1' });
    expect(Object.keys(rows[0] ?? {})).toEqual(['answer', 'prompt']);
  });

  test('limit takes the first rows, over all files and row groups', async () => {
    const [one, two] = [tempFolder(), tempFolder()];
    const numbers = Array.from({ length: 1500 }, (_, i) => i);
    const first = join(one, await write(one, [{ name: 'n', data: numbers }], { rowGroupSize: 400 }));
    const second = join(two, await write(two, [{ name: 'n', data: numbers }]));
    const rowsOf = async (limit: number | null) =>
      (await open('/', { paths: [first, second], limit })).map(({ n }) => n);
    expect(await rowsOf(null)).toEqual([...numbers, ...numbers]);
    for (const limit of [1, 400, 401, 1500, 1501, 9999]) {
      expect(await rowsOf(limit)).toEqual([...numbers, ...numbers].slice(0, limit));
    }
  });

  test('a column that is not there is named, with what is near', async () => {
    const folder = tempFolder();
    const path = await write(folder, QUESTIONS);
    for (const options of [{ columns: ['qestion'] }, { rename: { qestion: 'prompt' } }]) {
      const error = await errorOf(open(folder, { path, ...options }));
      expect(error.code).toBe('DATASET_INVALID');
      expect(error.message).toContain('Did you mean "question"?');
    }
  });

  test('two columns of one name are refused', async () => {
    const folder = tempFolder();
    const path = await write(folder, QUESTIONS);
    const error = await errorOf(open(folder, { path, rename: { question: 'answer' } }));
    expect(error.message).toContain('would both be "answer"');
  });

  test('columns may change names with one another', async () => {
    const folder = tempFolder();
    const path = await write(folder, QUESTIONS);
    const rows = await open(folder, { path, rename: { question: 'answer', answer: 'question' } });
    expect(rows[0]).toEqual({ answer: '1 + 1', question: '2' });
  });

  test.each([
    ['neither path nor paths', {}],
    ['both', { path: 'a', paths: ['b'] }],
    ['a key that there is not', { path: 'a', where: 'x = 1' }],
    ['no rows at all', { path: 'a', limit: 0 }],
  ])('%s is refused', (_what, options) => {
    expect(parquetOptions.safeParse(options).success).toBe(false);
  });
});

describe('files', () => {
  test.each([
    ['UNCOMPRESSED', undefined],
    ['SNAPPY', undefined],
    ['GZIP', (bytes: Uint8Array) => new Uint8Array(gzipSync(bytes))],
    ['BROTLI', (bytes: Uint8Array) => new Uint8Array(brotliCompressSync(bytes))],
  ] as const)('compressed by %s are read', async (codec, compress) => {
    const compressors = compress === undefined ? {} : { compressors: { [codec]: compress } };
    const rows = await roundTrip(QUESTIONS, { codec, ...compressors });
    expect(rows).toEqual([
      { question: '1 + 1', answer: '2' },
      { question: '2 + 2', answer: '4' },
      { question: '3 + 3', answer: '6' },
    ]);
  });

  test.each(['LZ4', 'LZ4_RAW'] as const)(
    'an empty page and a full one compressed by %s are read',
    (codec) => {
      expect(DECOMPRESSORS[codec]?.(Uint8Array.of(0), 0)).toEqual(new Uint8Array());
      // A token of five literals, and no match after them.
      const block = Uint8Array.of(0x50, ...new TextEncoder().encode('hello'));
      expect(DECOMPRESSORS[codec]?.(block, 5)).toEqual(new TextEncoder().encode('hello'));
    },
  );

  test.each([
    ['that is not there', undefined],
    ['that is no Parquet', 'question,answer\n1 + 1,2\n'],
    ['that is cut off', 'PAR1'],
  ])('one %s is an error with its path', async (_what, content) => {
    const folder = tempFolder();
    if (content !== undefined) writeFileSync(join(folder, 'x.parquet'), content);
    const error = await errorOf(open(folder, { path: 'x.parquet' }));
    expect(error.code).toBe('DATASET_INVALID');
    expect(error.message).toContain(join(folder, 'x.parquet'));
  });

  test('reading stops by the signal', async () => {
    const folder = tempFolder();
    const path = await write(folder, QUESTIONS);
    await expect(open(folder, { path }, AbortSignal.abort(new Error('enough')))).rejects.toThrow('enough');
  });
});

test('a config names the file, and its rows are the tasks', async () => {
  const folder = tempFolder();
  const path = await write(folder, [{ name: 'id', data: ['a', 'b', 'c'] }, ...QUESTIONS]);
  const seen: unknown[] = [];
  const workflow = defineWorkflow('look', async (task, context) => {
    seen.push(task);
    await context.agent('agent').respond('well?');
  });
  const backend = inMemoryBackend({ policy: () => 'yes' });
  await using app = await createApp(
    {
      backend: 'in-memory',
      workflow: { nParallelTasks: 1 },
      data: { val: { use: 'parquet', options: { path, rename: { question: 'prompt' }, limit: 2 } } },
    },
    {
      plugins: [parquet, { name: 'memory', apiVersion: 1, backends: [backend] }],
      workflow,
      baseDirectory: folder,
      run: null,
      validateOnly: true,
      useDeclared: false,
    },
  );
  await (await app.trainer()).validate();
  expect(seen).toEqual([
    { id: 'a', prompt: '1 + 1', answer: '2' },
    { id: 'b', prompt: '2 + 2', answer: '4' },
  ]);
});
