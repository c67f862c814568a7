// Time to learn guess-number on the local backend, from random weights and a 0/1 reward: `rllm train --config rllmrc.example.json`.
//
//   npm run bench -- local [--seeds 1,2,3,4,5] [--python PATH]
//
// With --python (or BENCH_PYTHON), a Python that has torch: bench/local-rival.py too, a straight PyTorch script of the same model, batch
// and settings, seed by seed in turn, and the ratio. Seconds are of the whole process, its start included. The rival ends a game at a
// word that is no number; the quickstart answers "invalid" and goes on.
//
// Two cores of an AMD EPYC, Node 20.20.2, torch 2.13.0 with its own choice of threads, with some other work on the machine (load 3), seeds 1 to 5:
//   local: learned by all, in 34 to 37 steps, 6.8 to 11.6 s, median 7.2 s, 148 to 279 ms per step
//   torch: learned by all, in 33 to 38 steps, 5.9 to 17.2 s, median 10.3 s, 70 to 373 ms per step: 1.53 times as long
//   sampling apart: 0.035 ms per token
// Seeds 1 to 20 of local: learned by all, in 32 to 41 steps.
import { execFileSync } from 'node:child_process';
import { performance } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { sampleByBackend } from './local/sample-by-backend.js';
import { SETTINGS, type SeedResult } from './local/settings.js';
import { trainByRun } from './local/train-by-run.js';

const { values } = parseArgs({
  args: process.argv.slice(3),
  options: {
    seeds: { type: 'string', default: '1,2,3,4,5' },
    python: { type: 'string', default: process.env['BENCH_PYTHON'] ?? '' },
  },
});

console.log(`guess-number: ${JSON.stringify(SETTINGS)}`);
const ours: number[] = [];
const theirs: number[] = [];
for (const seed of values.seeds.split(',').map(Number)) {
  ours.push(report('local', await trainByRun(seed)));
  if (values.python !== '') theirs.push(report('torch', trainByRival(values.python, seed)));
}
console.log(`local: median ${median(ours).toFixed(2)} s to ${SETTINGS.target}`);
if (theirs.length > 0) {
  console.log(`torch takes ${(median(theirs) / median(ours)).toFixed(2)} times as long as local`);
}
const { tokens, seconds } = await sampleByBackend(1);
console.log(`sampling apart: ${((1000 * seconds) / tokens).toFixed(4)} ms per token`);

function trainByRival(python: string, seed: number): SeedResult {
  const script = fileURLToPath(new URL('./local-rival.py', import.meta.url));
  const start = performance.now();
  const line = execFileSync(python, [script, JSON.stringify(SETTINGS), String(seed)], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const { steps, trainingSeconds } = JSON.parse(line) as { steps: number | null; trainingSeconds: number };
  const stepMs = (1000 * trainingSeconds) / (steps ?? SETTINGS.maxSteps);
  return { seed, steps, seconds: (performance.now() - start) / 1000, stepMs };
}

/** Prints one seed's result and returns its seconds. */
function report(name: string, { seed, steps, seconds, stepMs }: SeedResult): number {
  const learned = steps === null ? 'not learned' : `learned in ${steps} steps`;
  console.log(
    `${name} seed ${seed}: ${learned}, ${seconds.toFixed(2)} s, ${stepMs.toFixed(1)} ms per training step`,
  );
  return seconds;
}

function median(numbers: readonly number[]): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
