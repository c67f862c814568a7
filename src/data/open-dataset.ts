import { type Attribution, attributed } from '../attribute.js';
import { awaiting } from '../awaited-parts.js';
import type { Task } from '../workflow/workflow.js';
import { readDataset } from './dataset.js';
import type { DatasetContext, DatasetSource } from './dataset-source.js';

/** A dataset source as a config chooses it. */
export interface ChosenDataset {
  readonly source: DatasetSource;
  /** Validated by its schema. */
  readonly options: unknown;
  readonly part: Attribution;
}

/**
 * All rows of a source.
 *
 * @throws RllmError DATASET_INVALID when the source throws, or gives what has no rows; an error of the SDK keeps its code. The
 *   message names the source.
 */
export async function openDataset(
  { source, options, part }: ChosenDataset,
  context: DatasetContext,
): Promise<readonly Task[]> {
  try {
    return await awaiting(`the reading of ${part.what}`, async () =>
      readDataset(await source.open(options, context), `data of the ${part.what}`),
    );
  } catch (thrown) {
    throw attributed(thrown, part, 'failed', 'DATASET_INVALID');
  }
}
