import { type TaskBatch, type TaskLoader, trainLoader, validationLoader } from '../data/index.js';
import { RllmError } from '../errors.js';
import type { RolloutRequest } from '../workflow/index.js';
import type { TrainerParts } from './trainer-parts.js';

/** The data of a run, read and checked. */
export interface RunData {
  readonly train: TaskLoader | null;
  readonly val: TaskLoader | null;
}

/** @throws RllmError DATASET_EMPTY, DATASET_TOO_SMALL, DATASET_INVALID for whichever data is given and wrong. */
export async function loadRunData(parts: TrainerParts): Promise<RunData> {
  const { trainData, valData, config } = parts;
  const { data, trainer } = config;
  return {
    train: trainData === undefined ? null : await trainLoader(trainData, data, trainer.seed),
    val: valData === undefined ? null : await validationLoader(valData, data),
  };
}

/** @throws RllmError DATASET_EMPTY when there is no data. */
export function required(loader: TaskLoader | null, kind: 'train' | 'val'): TaskLoader {
  if (loader !== null) return loader;
  const name = kind === 'train' ? 'training' : 'validation';
  throw new RllmError('DATASET_EMPTY', `There is no ${name} data: set data.${kind}, or pass ${kind}Data.`);
}

/** Each task of a batch `n` times in a row: a, a, a, b, b, b; with `withGreedy` a greedy rollout after those of each task. */
export function rolloutRequests(
  { items }: TaskBatch,
  n: number,
  withGreedy = false,
): readonly RolloutRequest[] {
  return items.flatMap(({ taskId, task, dataSource }) =>
    Array.from({ length: withGreedy ? n + 1 : n }, (_, rolloutIndex) => ({
      taskId,
      rolloutIndex,
      task,
      dataSource,
      ...(rolloutIndex < n ? {} : { greedy: true }),
    })),
  );
}
