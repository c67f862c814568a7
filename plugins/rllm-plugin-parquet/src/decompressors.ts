import type { Compressors } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';

/** An empty LZ4 block is one zero byte, which hyparquet-compressors 1.1.2 takes for the beginning of a match. */
const orEmpty =
  (decompress: Compressors['LZ4_RAW']): NonNullable<Compressors['LZ4_RAW']> =>
  (input, outputLength) =>
    outputLength === 0 || decompress === undefined ? new Uint8Array() : decompress(input, outputLength);

/** Every compression of Parquet files, by its name. */
export const DECOMPRESSORS: Compressors = {
  ...compressors,
  LZ4: orEmpty(compressors.LZ4),
  LZ4_RAW: orEmpty(compressors.LZ4_RAW),
};
