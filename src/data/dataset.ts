import { createHash } from 'node:crypto';
import { messageOf, RllmError } from '../errors.js';
import type { Task } from '../workflow/workflow.js';

/** Tasks as they are given in code: an array, or anything that can be iterated. Read once, when the run starts. */
export type Dataset = readonly Task[] | Iterable<Task> | AsyncIterable<Task>;

/** Most rows that are taken from an iterable: an endless one must not fill the memory. */
export const MAX_DATASET_ROWS = 1_000_000;

/**
 * All rows of a dataset, in order.
 *
 * An iterable is read to its end here, since shuffling by seed and resuming need every row; more than `MAX_DATASET_ROWS`
 * rows of one are refused.
 *
 * @param name  what the dataset is called in messages, for example `training data`.
 * @throws RllmError DATASET_INVALID when a row is not an object, or an iterable throws or does not end.
 */
export async function readDataset(dataset: Dataset, name: string): Promise<readonly Task[]> {
  if (Array.isArray(dataset)) {
    dataset.forEach((row, index) => {
      assertRow(row, `Row ${index} of the ${name}`);
    });
    return dataset as readonly Task[];
  }
  const rows: Task[] = [];
  try {
    for await (const row of dataset) {
      assertRow(row, `Row ${rows.length} of the ${name}`);
      rows.push(row);
      if (rows.length > MAX_DATASET_ROWS) {
        throw new RllmError(
          'DATASET_INVALID',
          `The ${name} is an iterable with more than ${MAX_DATASET_ROWS} rows; give an array, or an iterable that ends.`,
        );
      }
    }
  } catch (cause) {
    if (RllmError.isInstance(cause)) throw cause;
    throw new RllmError(
      'DATASET_INVALID',
      `Reading the ${name} failed after ${rows.length} rows: ${messageOf(cause)}`,
      { cause },
    );
  }
  return rows;
}

/** @throws RllmError DATASET_INVALID unless `row` is an object; `where` begins the message. */
export function assertRow(row: unknown, where: string): asserts row is Task {
  if (typeof row === 'object' && row !== null && !Array.isArray(row)) return;
  throw new RllmError(
    'DATASET_INVALID',
    `${where} must be an object with the fields of one task, but it is ${described(row)}.`,
  );
}

/**
 * SHA-256 of the rows and their order, as hex: by it a resumed run knows that its data is the same.
 *
 * @throws RllmError DATASET_INVALID when a row cannot be written as JSON, which episodes and checkpoints need.
 */
export function datasetHash(rows: readonly Task[], name: string): string {
  const hash = createHash('sha256');
  rows.forEach((row, index) => {
    try {
      hash.update(`${JSON.stringify(row)}\n`);
    } catch (cause) {
      throw new RllmError(
        'DATASET_INVALID',
        `Row ${index} of the ${name} cannot be written as JSON: ${messageOf(cause)}`,
        { cause },
      );
    }
  });
  return hash.digest('hex');
}

function described(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  const text = typeof value === 'string' ? JSON.stringify(value) : String(value);
  return `the ${typeof value} ${text.length > 60 ? `${text.slice(0, 60)}…` : text}`;
}
