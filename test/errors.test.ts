import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { ERRORS, type ErrorCode, RllmError } from '../src/errors.js';

const at = (path: string): string => fileURLToPath(new URL(`../${path}`, import.meta.url));
const codes = Object.keys(ERRORS) as readonly ErrorCode[];

/** Rows of the table in docs/errors.md: code, exit code, fix. */
const rows = readFileSync(at('docs/errors.md'), 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('| `'))
  .map((line) => line.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll('\\|', '|')))
  .map(([, code = '', exit = '', , fix = '']) => ({
    code: code.replaceAll('`', ''),
    exit: Number(exit),
    fix,
  }));

describe('the table of errors', () => {
  test('has a row for every code, with its exit code and its fix, in the order of the code', () => {
    expect(rows).toEqual(codes.map((code) => ({ code, exit: ERRORS[code].exit, fix: ERRORS[code].fix })));
  });

  test('is written in fixes that end as sentences', () => {
    expect(codes.filter((code) => !ERRORS[code].fix.endsWith('.'))).toEqual([]);
  });

  test('has no code that nothing in the SDK throws', () => {
    const sources = readdirSync(at('src'), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts') && name !== 'errors.ts')
      .map((name) => readFileSync(at(`src/${name}`), 'utf8'))
      .join('\n');
    expect(codes.filter((code) => !sources.includes(`'${code}'`))).toEqual([]);
  });
});

describe('an error of the SDK', () => {
  test('carries its code, its fix, its exit code, its cause and its details', () => {
    const cause = new TypeError('inner');
    const error = new RllmError('DATASET_EMPTY', 'a.jsonl has no rows.', {
      cause,
      details: { file: 'a.jsonl' },
    });
    expect(error).toMatchObject({
      name: 'RllmError',
      code: 'DATASET_EMPTY',
      message: 'a.jsonl has no rows.',
      fix: ERRORS.DATASET_EMPTY.fix,
      exitCode: 2,
      details: { file: 'a.jsonl' },
    });
    expect(error.cause).toBe(cause);
    expect('cause' in new RllmError('USAGE', 'no')).toBe(false);
  });

  test('is told by its brand, also when it comes from another copy of the SDK', () => {
    const foreign = Object.assign(new Error('x'), { [Symbol.for('rllm.error')]: true, code: 'USAGE' });
    expect(RllmError.isInstance(new RllmError('USAGE', 'x'))).toBe(true);
    expect(RllmError.isInstance(foreign)).toBe(true);
    for (const other of [new Error('x'), { code: 'USAGE' }, 'USAGE', null, undefined]) {
      expect(RllmError.isInstance(other)).toBe(false);
    }
  });
});
