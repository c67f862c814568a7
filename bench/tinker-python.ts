// Our client and the official Python SDK at the same work on the same server, in turn: iterations per second.
//
//   npm run bench -- tinker-python [--rounds 7] [--iterations 10]
//
// An iteration is what a small step of training asks of an engine: a sampler of the present weights, 32 samples of 8 tokens,
// forward_backward on them and optim_step, both in flight. SkyRL's tx server on the CPU with a Qwen3 of 115,000 weights, a model for each
// client. Rewards are compared: the same seeds must give both the same samples. The environment is that of npm run test:tinker.
//
// Two cores of an AMD EPYC, quiet, Node 20.20.2, Python 3.11.7, tinker 0.16.1, skyrl-tx 0.3.0, 10 rounds:
//   ours 1.00 to 1.33, Python SDK 0.94 to 1.16 iterations per second; ours is 0.89 to 1.39 times as fast, in the median 1.22 times
//   the engine takes nearly all of it; rewards went from 0.08 to 0.99, the same on both sides to the last digit
// tx looks for a result 0, 100, 250, 475, … ms after it was asked. Without the wait of `firstPollMs` before the first question, both clients
// were as fast (medians of 0.94, 0.99 and 0.94 in 34 rounds).
import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { pythonVenv } from '../test/python-venv.js';
import { freePort, TinkerServer } from '../test/tinker/tinker-server.js';
import { ourRival, pythonRival } from './tinker-python/rivals.js';

const { values } = parseArgs({
  args: process.argv.slice(3),
  options: {
    rounds: { type: 'string', default: '7' },
    iterations: { type: 'string', default: '10' },
  },
});
const [rounds, iterations] = [Number(values.rounds), Number(values.iterations)];
/** Until everything is compiled and both have learned something. */
const WARM_UP = 5;

const folder = await mkdtemp(join(tmpdir(), 'rllm-bench-'));
const python = await pythonVenv('tinker');
const model = join(folder, 'tiny-qwen3');
execFileSync(python, [fileURLToPath(new URL('../test/tinker/make-tiny-model.py', import.meta.url)), model], {
  stdio: ['ignore', 'ignore', 'inherit'],
});
const server = new TinkerServer({
  kind: 'tx',
  python,
  model,
  folder: join(folder, 'server'),
  port: await freePort(),
});
await server.start();
try {
  const rivals = [await ourRival(server.url, model), await pythonRival(python, server.url, model)] as const;
  for (const rival of rivals) await rival.run(0, WARM_UP);
  const ratios: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const first = WARM_UP + round * iterations;
    // Whoever is second finds the machine warmer: each is so in every other round.
    const order = round % 2 === 0 ? rivals : [...rivals].reverse();
    for (const rival of order) await rival.run(first, iterations);
    const [ours, theirs] = rivals.map(({ rounds: done }) => iterations / done.at(-1)!.seconds) as [
      number,
      number,
    ];
    ratios.push(ours / theirs);
    console.log(
      `round ${round + 1}: ours ${ours.toFixed(2)}, Python SDK ${theirs.toFixed(2)} iterations per second: ${(ours / theirs).toFixed(2)} times`,
    );
  }
  const [ours, theirs] = rivals.map(({ rounds: done }) => done.flatMap(({ rewards }) => rewards));
  const apart = Math.max(...ours!.map((reward, i) => Math.abs(reward - theirs![i]!)));
  console.log(`rewards went from ${ours![0]} to ${ours!.at(-1)} and differ by at most ${apart}`);
  console.log(`median: ours is ${median(ratios).toFixed(2)} times as fast`);
  for (const rival of rivals) await rival.close();
} finally {
  await server.stop();
  await rm(folder, { recursive: true, force: true, maxRetries: 3 });
}

function median(numbers: readonly number[]): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
