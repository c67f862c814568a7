import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { CONFIG_FILE, SETTINGS, type SeedResult } from './settings.js';

const PROGRAM = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));

interface Event {
  readonly event: string;
  readonly metrics?: Readonly<Record<string, number>>;
}

/** Runs `rllm train` on the quickstart's config, in a process of its own, and reads its events. */
export async function trainByRun(seed: number): Promise<SeedResult> {
  const folder = mkdtempSync(join(tmpdir(), 'rllm-bench-'));
  const start = performance.now();
  const args = ['train', '--config', CONFIG_FILE, '--json', '--run-dir', join(folder, 'run')];
  const child = spawn(process.execPath, [PROGRAM, ...args, '--set', `trainer.seed=${seed}`], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const stepSeconds: number[] = [];
  let learned: Pick<SeedResult, 'steps' | 'seconds'> | undefined;
  let greedy = 0;
  for await (const line of createInterface({ input: child.stdout })) {
    const { event, metrics = {} } = JSON.parse(line) as Event;
    if (event === 'validation') greedy = metrics['val/unknown/pass@1'] ?? 0;
    if (event !== 'step') continue;
    stepSeconds.push(metrics['time/step_s'] ?? Number.NaN);
    if (learned === undefined && (metrics['batch/solve_rate'] ?? 0) >= SETTINGS.target) {
      learned = { steps: stepSeconds.length, seconds: (performance.now() - start) / 1000 };
    }
  }
  rmSync(folder, { recursive: true, force: true });
  const stepMs = (1000 * stepSeconds.reduce((sum, one) => sum + one, 0)) / stepSeconds.length;
  if (learned !== undefined && greedy === 1) return { seed, ...learned, stepMs };
  return { seed, steps: null, seconds: (performance.now() - start) / 1000, stepMs };
}
