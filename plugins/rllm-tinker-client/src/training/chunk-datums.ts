import type { Datum } from '../types/datum.js';

/** Bytes that one number takes on a wire, by the estimate of the official SDK. */
export const ESTIMATED_BYTES = {
  json: { token: 10, number: 10, target: 10 },
  protobuf: { token: 4, number: 4, target: 8 },
};

/**
 * Splits datums, in their order, into requests of at most `maxDatums` and about `maxBytes`. A datum that is larger than `maxBytes` makes a
 * request of its own.
 */
export function chunkDatums(
  data: readonly Datum[],
  wire: 'json' | 'protobuf',
  maxDatums: number,
  maxBytes: number,
): readonly (readonly Datum[])[] {
  const chunks: Datum[][] = [];
  let chunk: Datum[] = [];
  let bytes = 0;
  for (const datum of data) {
    const size = estimateBytes(datum, wire);
    if (chunk.length > 0 && (chunk.length >= maxDatums || bytes + size > maxBytes)) {
      chunks.push(chunk);
      chunk = [];
      bytes = 0;
    }
    chunk.push(datum);
    bytes += size;
  }
  if (chunk.length > 0) chunks.push(chunk);
  return chunks;
}

function estimateBytes({ modelInput, lossInputs }: Datum, wire: 'json' | 'protobuf'): number {
  const { token, number, target } = ESTIMATED_BYTES[wire];
  return Object.entries(lossInputs).reduce(
    (sum, [name, values]) => sum + values.length * (name === 'target_tokens' ? target : number),
    modelInput.length * token,
  );
}
