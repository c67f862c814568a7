import { resolve } from 'node:path';
import * as z from 'zod';
import { loadDatasetFile } from './dataset-file.js';
import type { DatasetSource } from './dataset-source.js';

declare module '../config/names.js' {
  interface DatasetOptionsMap {
    file: FileOptions;
  }
}

interface FileOptions {
  readonly path: string;
}

const options: z.ZodType<FileOptions> = z.strictObject({
  path: z.string().min(1).describe('A `.jsonl` or `.json` file, relative to the config file.'),
});

/** A dataset file, as `loadDatasetFile` reads it. */
export const fileSource: DatasetSource<FileOptions> = {
  name: 'file',
  summary: 'a .jsonl or .json file',
  options,
  open: ({ path }, { baseDirectory, idField }) => loadDatasetFile(resolve(baseDirectory, path), { idField }),
};
