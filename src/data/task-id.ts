import { RllmError } from '../errors.js';
import { ownValue } from '../own-value.js';
import type { Task } from '../workflow/workflow.js';

/**
 * The id of a dataset's row: its `idField` as text, or `row-{index}` where the field is absent or null.
 *
 * Any characters are allowed, since ids are never parsed.
 *
 * @throws RllmError DATASET_INVALID when the field is neither text nor a number; `where` begins the message.
 */
export function rowId(row: Task, index: number, idField: string, where: string): string {
  const id = ownValue(row, idField);
  if (id === undefined || id === null) return `row-${index}`;
  if (typeof id === 'string' || typeof id === 'number' || typeof id === 'bigint') return String(id);
  throw new RllmError(
    'DATASET_INVALID',
    `${where}: the field ${JSON.stringify(idField)} holds a row's id and must be text or a number, but it is ${JSON.stringify(id)}.`,
  );
}

/**
 * The data source of a row, by which validation metrics are split: its `sourceField` as text, or `unknown`.
 *
 * @throws RllmError DATASET_INVALID when the field is neither text nor a number; `where` begins the message.
 */
export function rowSource(row: Task, sourceField: string, where: string): string {
  const source = ownValue(row, sourceField);
  if (source === undefined || source === null || source === '') return 'unknown';
  if (typeof source === 'string' || typeof source === 'number') return String(source);
  throw new RllmError(
    'DATASET_INVALID',
    `${where}: the field ${JSON.stringify(sourceField)} names a row's data source and must be text, but it is ${JSON.stringify(source)}.`,
  );
}
