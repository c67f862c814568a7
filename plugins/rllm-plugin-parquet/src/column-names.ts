import { RllmError, suggestion } from 'rllm-sdk';
import type { ParquetOptions } from './parquet-options.js';

/** Name in the file → name in the row, of every column that is read, in the order of the options, else of the file. */
export type ColumnNames = ReadonlyMap<string, string>;

/** @throws RllmError DATASET_INVALID for a column that the file does not have, and for two that would have one name. */
export function columnNames(
  path: string,
  inFile: readonly string[],
  { columns, rename }: Pick<ParquetOptions, 'columns' | 'rename'>,
): ColumnNames {
  const wanted = columns ?? inFile;
  const unknown = [...wanted, ...Object.keys(rename)].find((name) => !inFile.includes(name));
  if (unknown !== undefined) {
    throw new RllmError(
      'DATASET_INVALID',
      `${path} has no column "${unknown}". ${suggestion(unknown, inFile)}`,
      { details: { path, column: unknown } },
    );
  }
  const names = new Map<string, string>();
  const source = new Map<string, string>();
  for (const name of wanted) {
    const as = Object.hasOwn(rename, name) ? (rename[name] ?? name) : name;
    const earlier = source.get(as);
    if (earlier !== undefined && earlier !== name) {
      throw new RllmError(
        'DATASET_INVALID',
        `The columns "${earlier}" and "${name}" of ${path} would both be "${as}"; give one another name in rename, or leave it out of columns.`,
        { details: { path, columns: [earlier, name] } },
      );
    }
    source.set(as, name);
    names.set(name, as);
  }
  return names;
}
