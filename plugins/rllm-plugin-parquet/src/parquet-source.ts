import { resolve } from 'node:path';
import type { DatasetSource, Task } from 'rllm-sdk';
import { type ParquetOptions, parquetOptions } from './parquet-options.js';
import { readParquet } from './read-parquet.js';

/** `data.train: { use: 'parquet', options: { path: 'train.parquet' } }`. Each row is a task, its columns the fields. */
export const parquetSource: DatasetSource<ParquetOptions> = {
  name: 'parquet',
  summary: 'rows of Parquet files',
  options: parquetOptions,
  async open({ path, paths, columns, rename, limit }, { baseDirectory, signal }) {
    const tasks: Task[] = [];
    for (const one of paths ?? (path === null ? [] : [path])) {
      const left = (limit ?? Number.POSITIVE_INFINITY) - tasks.length;
      if (left === 0) break;
      const rows = await readParquet(resolve(baseDirectory, one), { columns, rename, limit: left, signal });
      for (const row of rows) tasks.push(row);
    }
    return tasks;
  },
};
