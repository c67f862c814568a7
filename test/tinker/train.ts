import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inject } from 'vitest';
import { type Running, start } from '../cli/rllm.js';

export type Metrics = Readonly<Record<string, number>>;

/** Starts `rllm train` in `range/`, on a server. */
export function startTraining(url: string, words: readonly string[]): Running {
  const env = { TINKER_BASE_URL: url, TINKER_MODEL: inject('server').model };
  return start(fileURLToPath(new URL('range', import.meta.url)), ['train', ...words], env);
}

/** The same to its end. @throws Error with what it wrote, when it failed. */
export async function train(url: string, words: readonly string[]): Promise<void> {
  const { code, stdout, stderr } = await startTraining(url, words).outcome;
  if (code !== 0) throw new Error(`rllm train ${words.join(' ')} ended with ${code}:\n${stdout}\n${stderr}`);
}

/** Metrics of a run's training steps, but for times. */
export async function metricsOf(run: string): Promise<readonly Metrics[]> {
  const lines = (await readFile(join(run, 'metrics.jsonl'), 'utf8')).trim().split('\n');
  return lines
    .map((line) => JSON.parse(line) as { readonly kind: 'train' | 'val'; readonly metrics: Metrics })
    .filter(({ kind }) => kind === 'train')
    .map(({ metrics }) =>
      Object.fromEntries(Object.entries(metrics).filter(([name]) => !name.includes('time/'))),
    );
}
