import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parquetWriteFile } from 'hyparquet-writer';
import { type DatasetContext, RllmError, type Task } from 'rllm-sdk';
import { onTestFinished } from 'vitest';
import { type ParquetOptions, parquetOptions, parquetSource } from '../src/index.js';

/** A folder that is removed after the test. */
export function tempFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'rllm-parquet-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

type WriteOptions = Parameters<typeof parquetWriteFile>[0];

/** Writes a file of these columns; returns its name. */
export async function write(
  folder: string,
  columnData: WriteOptions['columnData'],
  more: Partial<WriteOptions> = {},
): Promise<string> {
  const name = 'rows.parquet';
  await parquetWriteFile({ filename: join(folder, name), columnData, ...more });
  return name;
}

/** The rows that the source gives for these options. */
export async function open(
  folder: string,
  options: Partial<ParquetOptions>,
  signal: AbortSignal = new AbortController().signal,
): Promise<readonly Task[]> {
  const context: DatasetContext = { baseDirectory: folder, idField: 'id', signal };
  const rows = await parquetSource.open(parquetOptions.parse(options), context);
  return rows as readonly Task[];
}

/** Writes columns and reads them back. */
export async function roundTrip(
  columnData: WriteOptions['columnData'],
  more: Partial<WriteOptions> = {},
): Promise<readonly Task[]> {
  const folder = tempFolder();
  return open(folder, { path: await write(folder, columnData, more) });
}

/** The RllmError that a promise rejects with. */
export async function errorOf(promise: Promise<unknown>): Promise<RllmError> {
  const thrown = await promise.then(
    () => new Error('nothing was thrown'),
    (error: unknown) => error,
  );
  if (RllmError.isInstance(thrown)) return thrown;
  throw thrown;
}
