import { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects, parquetSchema } from 'hyparquet';
import { type Json, RllmError, type Task } from 'rllm-sdk';
import { type ColumnNames, columnNames } from './column-names.js';
import { DECOMPRESSORS } from './decompressors.js';
import type { ParquetOptions } from './parquet-options.js';
import { PARSERS } from './parsers.js';
import { plainValue } from './plain-value.js';

export interface ReadOptions extends Pick<ParquetOptions, 'columns' | 'rename'> {
  /** Most rows to read. */
  readonly limit: number;
  readonly signal: AbortSignal;
}

/**
 * The rows of one file, a row group at a time, so that a signal is heeded and the event loop goes on between two.
 *
 * @throws RllmError DATASET_INVALID when it cannot be read, lacks a column, or holds what JSON does not; a row is named by its
 *   number from 0.
 */
export async function readParquet(path: string, options: ReadOptions): Promise<Task[]> {
  const file = await told(path, () => asyncBufferFromFile(path));
  const metadata = await told(path, () => parquetMetadataAsync(file));
  const inFile = parquetSchema(metadata).children.map(({ element }) => element.name);
  const names = columnNames(path, inFile, options);
  const tasks: Task[] = [];
  let start = 0;
  for (const group of metadata.row_groups) {
    options.signal.throwIfAborted();
    const rowStart = start;
    start += Number(group.num_rows);
    const rowEnd = Math.min(start, options.limit);
    if (rowEnd <= rowStart) break;
    const columns = [...names.keys()];
    const rows: readonly Readonly<Record<string, unknown>>[] = await told(path, () =>
      parquetReadObjects({
        file,
        metadata,
        columns,
        rowStart,
        rowEnd,
        compressors: DECOMPRESSORS,
        parsers: PARSERS,
      }),
    );
    for (const [i, row] of rows.entries()) tasks.push(taskOf(row, names, path, rowStart + i));
  }
  return tasks;
}

function taskOf(
  row: Readonly<Record<string, unknown>>,
  names: ColumnNames,
  path: string,
  index: number,
): Task {
  const fields: [string, Json][] = [];
  for (const [name, as] of names) {
    try {
      fields.push([as, plainValue(row[name])]);
    } catch (cause) {
      throw new RllmError(
        'DATASET_INVALID',
        `Row ${index} of ${path}: the column "${name}" ${messageOf(cause)}. Leave it out of columns, or write it otherwise.`,
        { cause, details: { path, row: index, column: name } },
      );
    }
  }
  return Object.fromEntries(fields);
}

async function told<T>(path: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (cause) {
    throw new RllmError('DATASET_INVALID', `The Parquet file ${path} cannot be read: ${messageOf(cause)}`, {
      cause,
      details: { path },
    });
  }
}

function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
