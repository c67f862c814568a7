import type { DataConfig, DatasetReference } from '../config/types.js';
import { RllmError } from '../errors.js';
import { shuffled, stream } from '../random.js';
import type { Task } from '../workflow/workflow.js';
import { type Dataset, datasetHash, readDataset } from './dataset.js';
import { rowId, rowSource } from './task-id.js';

/** A row of the dataset with its identity. */
export interface TaskItem {
  readonly taskId: string;
  readonly task: Task;
  /** For validation metrics; `unknown` where the row names none. */
  readonly dataSource: string;
}

/** Where in the data a run stands: what comes next. It counts tasks, so it holds for any batch size. */
export interface DataCursor {
  /** 0-based. */
  readonly epoch: number;
  /** Tasks of this epoch that were handed out. */
  readonly index: number;
}

export interface TaskBatch {
  readonly epoch: number;
  readonly items: readonly TaskItem[];
  /** Cursor of the batch after this one. */
  readonly next: DataCursor;
  readonly startsEpoch: boolean;
  readonly endsEpoch: boolean;
}

export interface TaskLoaderOptions {
  /** What the data is called in messages. */
  readonly name: string;
  readonly idField: string;
  readonly sourceField: string;
  readonly batchSize: number;
  readonly shuffle: boolean;
  readonly dropLast: boolean;
  readonly seed: number;
}

/**
 * Hands out batches of tasks by cursor. It keeps no position of its own: the same cursor gives the same batch, whatever was
 * asked before, so a resumed run sees what an uninterrupted one would.
 *
 * Every task comes once per epoch, in the dataset's order or shuffled by `stream(seed, 'shuffle', epoch)`; the orders of two
 * epochs, or of two seeds, have nothing to do with each other.
 */
export class TaskLoader {
  readonly size: number;
  readonly hash: string;
  readonly batchesPerEpoch: number;
  readonly #items: readonly TaskItem[];
  readonly #options: TaskLoaderOptions;
  #order: { readonly epoch: number; readonly items: readonly TaskItem[] } | undefined;

  /**
   * @throws RllmError DATASET_INVALID when a row is not an object or two rows share an id.
   * @throws RllmError DATASET_EMPTY, or DATASET_TOO_SMALL when `dropLast` would leave no batch.
   */
  static async create(dataset: Dataset, options: TaskLoaderOptions): Promise<TaskLoader> {
    const rows = await readDataset(dataset, options.name);
    return new TaskLoader(taskItems(rows, options), datasetHash(rows, options.name), options);
  }

  private constructor(items: readonly TaskItem[], hash: string, options: TaskLoaderOptions) {
    const { batchSize, dropLast, name } = options;
    if (items.length === 0) throw new RllmError('DATASET_EMPTY', `The ${name} has no rows.`);
    if (dropLast && items.length < batchSize) {
      throw new RllmError(
        'DATASET_TOO_SMALL',
        `The ${name} has ${items.length} ${items.length === 1 ? 'row' : 'rows'}, fewer than one batch of ${batchSize}, and data.dropLast leaves out a batch that is not full.`,
      );
    }
    this.#items = items;
    this.#options = options;
    this.hash = hash;
    this.size = items.length;
    this.batchesPerEpoch = dropLast
      ? Math.floor(items.length / batchSize)
      : Math.ceil(items.length / batchSize);
  }

  /** The batch that begins at a cursor. */
  at(cursor: DataCursor): TaskBatch {
    const { batchSize, dropLast } = this.#options;
    const used = dropLast ? this.batchesPerEpoch * batchSize : this.size;
    const from = cursor.index < used ? cursor : { epoch: cursor.epoch + 1, index: 0 };
    const items = this.#epoch(from.epoch).slice(from.index, Math.min(from.index + batchSize, used));
    const end = from.index + items.length;
    const endsEpoch = end >= used;
    return {
      epoch: from.epoch,
      items,
      next: endsEpoch ? { epoch: from.epoch + 1, index: 0 } : { epoch: from.epoch, index: end },
      startsEpoch: from.index === 0,
      endsEpoch,
    };
  }

  /** All batches of one epoch, in order. */
  *epoch(epoch: number): Generator<TaskBatch, void, undefined> {
    let cursor: DataCursor = { epoch, index: 0 };
    while (cursor.epoch === epoch) {
      const batch = this.at(cursor);
      yield batch;
      cursor = batch.next;
    }
  }

  #epoch(epoch: number): readonly TaskItem[] {
    if (!this.#options.shuffle) return this.#items;
    if (this.#order?.epoch !== epoch) {
      this.#order = {
        epoch,
        items: shuffled(this.#items, stream(this.#options.seed, 'shuffle', epoch)),
      };
    }
    return this.#order.items;
  }
}

/** The loader of the training data, as the config says. */
export function trainLoader(dataset: Dataset, data: DataConfig, seed: number): Promise<TaskLoader> {
  const { idField, sourceField, shuffle, dropLast, trainBatchSize: batchSize } = data;
  const name = titleOf('training data', data.train);
  return TaskLoader.create(dataset, { name, idField, sourceField, batchSize, shuffle, dropLast, seed });
}

/** The loader of the validation data: in the dataset's order, every row. */
export function validationLoader(dataset: Dataset, data: DataConfig): Promise<TaskLoader> {
  const { idField, sourceField } = data;
  const name = titleOf('validation data', data.val);
  const batchSize = data.valBatchSize ?? Number.MAX_SAFE_INTEGER;
  return TaskLoader.create(dataset, {
    name,
    idField,
    sourceField,
    batchSize,
    shuffle: false,
    dropLast: false,
    seed: 0,
  });
}

function titleOf(kind: string, reference: DatasetReference | null): string {
  if (reference === null) return kind;
  const { use, options } = reference;
  return `${kind} ${use === 'file' ? String(options['path']) : `of "${use}"`}`;
}

function taskItems(rows: readonly Task[], options: TaskLoaderOptions): readonly TaskItem[] {
  const { name, idField, sourceField } = options;
  const rowOfId = new Map<string, number>();
  return rows.map((task, index) => {
    const where = `Row ${index} of the ${name}`;
    const taskId = rowId(task, index, idField, where);
    const earlier = rowOfId.get(taskId);
    if (earlier !== undefined) {
      throw new RllmError(
        'DATASET_INVALID',
        `Rows ${earlier} and ${index} of the ${name} have the same id ${JSON.stringify(taskId)}.`,
        { details: { id: taskId, rows: [earlier, index] } },
      );
    }
    rowOfId.set(taskId, index);
    return { taskId, task, dataSource: rowSource(task, sourceField, where) };
  });
}
