import type { StandardSchema } from '../standard-schema.js';
import type { Dataset } from './dataset.js';

/** What a dataset source is opened with. */
export interface DatasetContext {
  /** Folder that relative paths start from: that of the config file. */
  readonly baseDirectory: string;
  /** Field that holds a row's id (`data.idField`). */
  readonly idField: string;
  readonly signal: AbortSignal;
}

/** Where tasks come from, by name: `data.train: { use: 'parquet', options: { path: 'train.parquet' } }`. */
export interface DatasetSource<Options = unknown> {
  readonly name: string;
  readonly summary: string;
  /** Validates the options at start. Without it there are none. */
  readonly options?: StandardSchema<unknown, Options>;
  /** The rows, read to their end before the run starts. A method, so that sources with options of any type fit one list. */
  open(options: Options, context: DatasetContext): Dataset | Promise<Dataset>;
}
