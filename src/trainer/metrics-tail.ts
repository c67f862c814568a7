import { open } from 'node:fs/promises';
import type { MetricsLine } from '../tracking/index.js';

const BLOCK = 65_536;
const NEW_LINE = 10;

/**
 * The whole line that begins at a byte of `metrics.jsonl`, and the byte after it; null when the file ends there or the line is torn.
 */
export async function firstLineAfter(
  path: string,
  start: number,
): Promise<{ readonly line: MetricsLine; readonly end: number } | null> {
  const file = await open(path, 'r').catch(() => undefined);
  if (file === undefined) return null;
  try {
    const blocks: Buffer[] = [];
    for (let position = start; ; position += BLOCK) {
      const { bytesRead, buffer } = await file.read(Buffer.alloc(BLOCK), 0, BLOCK, position);
      if (bytesRead === 0) return null;
      const block = buffer.subarray(0, bytesRead);
      const stop = block.indexOf(NEW_LINE);
      if (stop < 0) {
        blocks.push(block);
        continue;
      }
      blocks.push(block.subarray(0, stop));
      return parsed(Buffer.concat(blocks).toString('utf8'), position + stop + 1);
    }
  } finally {
    await file.close();
  }
}

function parsed(text: string, end: number): { readonly line: MetricsLine; readonly end: number } | null {
  try {
    return { line: JSON.parse(text) as MetricsLine, end };
  } catch {
    return null;
  }
}
