import type { OptionsGiven } from 'rllm-sdk';
import { z } from 'zod';

declare module 'rllm-sdk' {
  interface DatasetOptionsMap {
    parquet: OptionsGiven<ParquetOptions>;
  }
}

/** `data.train.options` of the dataset source `parquet`. */
export interface ParquetOptions {
  /** A file, relative to the config file. Either this or `paths`. */
  readonly path: string | null;
  /** Several files, whose rows follow one another. */
  readonly paths: readonly string[] | null;
  /** Columns that are read; `null` takes all. */
  readonly columns: readonly string[] | null;
  /** New names of columns, by their names in the file. */
  readonly rename: Readonly<Record<string, string>>;
  /** Rows that are taken, from the beginning of the first file on; `null` takes all. */
  readonly limit: number | null;
}

const text = z.string().min(1);

export const parquetOptions: z.ZodType<ParquetOptions> = z
  .strictObject({
    path: text.nullable().default(null).describe('A file, relative to the config file.'),
    paths: z
      .array(text)
      .min(1)
      .nullable()
      .default(null)
      .describe('Several files, whose rows follow one another.'),
    columns: z.array(text).min(1).nullable().default(null).describe('Columns that are read; null takes all.'),
    rename: z.record(text, text).default({}).describe('New names of columns, by their names in the file.'),
    limit: z.int().positive().nullable().default(null).describe('Rows that are taken, from the first on.'),
  })
  .refine(({ path, paths }) => (path === null) !== (paths === null), {
    message: 'give either path or paths',
  });
