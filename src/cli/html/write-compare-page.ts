import { writeFile } from 'node:fs/promises';
import type { ComparisonReport } from '../../compare/index.js';
import { messageOf, RllmError } from '../../errors.js';
import { SDK_VERSION } from '../../version.js';
import { chartLibrary } from './chart-library.js';
import { comparePage } from './compare-page.js';

/** @throws RllmError USAGE when the file cannot be written. */
export async function writeComparePage(path: string, report: ComparisonReport): Promise<void> {
  const page = comparePage(report, await chartLibrary(), SDK_VERSION);
  try {
    await writeFile(path, page);
  } catch (cause) {
    throw new RllmError('USAGE', `--html ${path} cannot be written: ${messageOf(cause)}`, { cause });
  }
}
