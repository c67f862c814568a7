// Time to learn guess-number on the local backend, from random weights and a 0/1 reward, through the `Backend` contract.
//
//   npm run bench -- local [--seeds 1,2,3,4,5] [--python PATH]
//
// With --python (or RLLM_BENCH_PYTHON), a Python that has torch: bench/local-rival.py too, a straight PyTorch script of the same model, batch and
// settings, and the ratio. Seconds are of the whole process, its start included.
//
// Two cores of an AMD EPYC, Node 20.20.2, with other work on them (load 4), so the times are upper bounds; the steps are exact:
//   local, seeds 1 to 10: learned by all, in 36 to 50 steps (39, 50, 40, 36, 38, 38, 40, 44, 38, 44), 3.9 to 7.8 s, median 4.5 s, 87 ms per step
//   sampling apart: 0.03 to 0.19 ms per token
//   torch 2.13, one thread, side by side, seeds 1 and 2: 7.8 s and 8.4 s, against 4.4 s and 4.5 s: 1.9 times as long
import { execFileSync } from 'node:child_process';
import { performance } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { sampleByBackend } from './local/sample-by-backend.js';
import { SETTINGS, type SeedResult } from './local/settings.js';
import { trainByBackend } from './local/train-by-backend.js';

const { values } = parseArgs({
  args: process.argv.slice(3),
  options: {
    seeds: { type: 'string', default: '1,2,3,4,5' },
    python: { type: 'string', default: process.env['RLLM_BENCH_PYTHON'] ?? '' },
    one: { type: 'string' },
  },
});
const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

if (values.one !== undefined) console.log(JSON.stringify(await trainByBackend(Number(values.one))));
else await compare(values.seeds.split(',').map(Number));

async function compare(seeds: readonly number[]): Promise<void> {
  console.log(`guess-number: ${JSON.stringify(SETTINGS)}`);
  const ours = seeds.map((seed) =>
    timed('local', process.execPath, [at('./run.mjs'), 'local', '--one', String(seed)]),
  );
  const { tokens, seconds } = await sampleByBackend(1);
  console.log(`sampling apart: ${((1000 * seconds) / tokens).toFixed(4)} ms per token`);
  if (values.python === '') return;
  const settings = JSON.stringify(SETTINGS);
  const theirs = seeds.map((seed) =>
    timed('torch', values.python, [at('./local-rival.py'), settings, String(seed)]),
  );
  console.log(`torch takes ${(median(theirs) / median(ours)).toFixed(2)} times as long as local`);
}

/** Runs one seed in a process of its own and returns its seconds. */
function timed(name: string, command: string, args: readonly string[]): number {
  const start = performance.now();
  const env = { ...process.env, RLLM_BENCH_BUILT: '1' };
  const line = execFileSync(command, args, { encoding: 'utf8', env, stdio: ['ignore', 'pipe', 'ignore'] });
  const seconds = (performance.now() - start) / 1000;
  const { seed, steps, trainingSeconds } = JSON.parse(line) as SeedResult;
  const learned = steps === null ? `not learned in ${SETTINGS.maxSteps} steps` : `learned in ${steps} steps`;
  const perStep = ((1000 * trainingSeconds) / (steps ?? SETTINGS.maxSteps)).toFixed(1);
  console.log(`${name} seed ${seed}: ${learned}, ${seconds.toFixed(2)} s, ${perStep} ms per training step`);
  return seconds;
}

function median(numbers: readonly number[]): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
