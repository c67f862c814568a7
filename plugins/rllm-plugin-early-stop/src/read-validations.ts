import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import type { Validation } from './judge-validations.js';

interface MetricsLine {
  readonly step: number;
  readonly kind: 'train' | 'val';
  readonly metrics: Readonly<Record<string, number>>;
}

/**
 * The validations that a run has recorded in its `metrics.jsonl`, in order; none for a run that has not written yet.
 *
 * The trainer cuts that file back to the checkpoint that it resumes from, so what is found is what the run remembers too.
 * A validation without the metric is passed over: it may have been made with other data.
 */
export async function readValidations(directory: string, metric: string): Promise<Validation[]> {
  const validations: Validation[] = [];
  const source = createReadStream(join(directory, 'metrics.jsonl'), 'utf8');
  try {
    for await (const text of createInterface({ input: source, crlfDelay: Number.POSITIVE_INFINITY })) {
      const { step, kind, metrics } = JSON.parse(text) as MetricsLine;
      const value = Object.hasOwn(metrics, metric) ? metrics[metric] : undefined;
      if (kind === 'val' && value !== undefined) validations.push({ step, value });
    }
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== 'ENOENT') throw thrown;
  }
  return validations;
}
