// What plugins cost: loading ten of them, and a step of a run with ten that listen to nothing.
//
//   npm run bench -- plugins [--repeats 21]
//
// Loading: ten packages are written to a folder. A fresh process imports their files, has `createApp` load and install them, or makes an app
// without them; in turn. What the plugins add beyond their own import is load − none − import, the median over the repeats.
//
// Steps: runs of 200 steps on the in-memory backend, without plugins and with ten, in turn in one process, as often; the median ratio.
//
// Node 20.20.2 on 2 cores that were busy with other work (load average 12), 9 repeats:
//   wall: ten plugins add 30.8 ms (import 122.3 ms, app without 68.4 ms, app with 231.0 ms)
//   cpu:  ten plugins add 20.5 ms (import 50.2 ms, app without 17.8 ms, app with 90.8 ms)
//   a step: 0.9 ms of CPU without plugins, 1.018 times as long with ten
import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { percentileOf } from '../src/statistics.js';
import { stepSeconds } from './plugins/step-seconds.js';
import { tenPackages } from './plugins/ten-packages.js';

const PROGRAM = fileURLToPath(new URL('./plugins/load-once.mjs', import.meta.url));
const MODES = ['import', 'none', 'load'] as const;

interface Milliseconds {
  readonly wall: number;
  readonly cpu: number;
}

const { values } = parseArgs({
  args: process.argv.slice(3),
  options: { repeats: { type: 'string', default: '21' } },
});
const repeats = Number(values.repeats);

const packages = tenPackages();
const rounds: Readonly<Record<(typeof MODES)[number], Milliseconds>>[] = [];
for (let repeat = 0; repeat < repeats; repeat++) {
  const [own, none, load] = MODES.map(once);
  if (own !== undefined && none !== undefined && load !== undefined) rounds.push({ import: own, none, load });
}
rmSync(packages.folder, { recursive: true });

for (const clock of ['wall', 'cpu'] as const) {
  const [own, none, load] = MODES.map((mode) => median(rounds.map((round) => round[mode][clock])));
  const added = median(rounds.map((round) => round.load[clock] - round.none[clock] - round.import[clock]));
  console.log(
    `${clock.padEnd(4)} ten plugins add ${ms(added)} beyond their import (import ${ms(own)}, app without ${ms(none)}, app with ${ms(load)})`,
  );
}

const plugins = Array.from({ length: 10 }, (_, i) => ({ name: `silent-${i}`, apiVersion: 1, setup() {} }));
const ratios: number[] = [];
const bare: number[] = [];
await stepSeconds([]);
for (let repeat = 0; repeat < repeats; repeat++) {
  const without = await stepSeconds([]);
  bare.push(without);
  ratios.push((await stepSeconds(plugins)) / without);
}
console.log(
  `a step takes ${ms(1000 * median(bare))} of CPU without plugins, ${median(ratios).toFixed(3)} times as long with ten that listen to nothing`,
);

function once(mode: (typeof MODES)[number]): Milliseconds {
  const args = [PROGRAM, mode, packages.folder, ...packages.names];
  return JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' }));
}

function ms(value: number | undefined): string {
  return `${(value ?? Number.NaN).toFixed(1)} ms`;
}

function median(all: readonly number[]): number {
  return percentileOf(
    [...all].sort((a, b) => a - b),
    50,
  );
}
