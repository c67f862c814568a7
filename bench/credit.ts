// Credit assignment, the whole path: group → filter → advantages → metrics, and the GRPO kernel alone.
//
//   npm run bench -- credit [--python PATH] [--repeats 5] [--groups 20000,200000]
//
// Against bench/reference_numpy.py, a straight numpy version of the same path, run by `python3` or by the Python given; without numpy that
// column is left out. Seconds are CPU seconds of the process, the best of the repeats, so that a busy machine does not count; ours
// include the threads of the garbage collector. Memory is what is still held afterwards, per trajectory, the episodes apart.
//
// On a nearly idle machine of 2 cores (load average 2 to 3; Node 20, numpy 2.4.6), ours and ÷ numpy; the whole path at 160,000 came out between
// 9.5 and 11.9 times in two runs:
//
//   trajectories   GRPO kernel     group            filter          advantages      whole path       held
//   160,000        3.0 ms  140×    66 ms    2.4×    24 ms  15×      42 ms  18×      132 ms  9.5×     95 B
//   1,600,000      59 ms    83×    870 ms   2.2×    313 ms  15×     398 ms 19×      1581 ms 9.0×     96 B
//
// The kernel takes 0.7 to 2.4 times what copying its arrays takes, and 4 to 34 times what copying one flat array takes. In one run, ten
// times the trajectories took 13 times the time.
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { calculateGrpoAdvantages } from '../src/advantage/index.js';
import { collectGarbage, cpuSeconds, heldBytes } from './credit/measure.js';
import { type Stages, walkPath } from './credit/path.js';
import { episodesOf, rewardsOf } from './credit/rollouts.js';

const SIZE = 8;
const { values } = parseArgs({
  args: process.argv.slice(3),
  options: {
    python: { type: 'string', default: process.env['RLLM_BENCH_PYTHON'] ?? 'python3' },
    repeats: { type: 'string', default: '5' },
    groups: { type: 'string', default: '20000,200000' },
  },
});
const repeats = Number(values.repeats);

interface Timing extends Stages {
  readonly kernel: number;
  readonly check: Readonly<Record<string, number>>;
}

const runs = values.groups
  .split(',')
  .map(Number)
  .map((groups) => {
    console.log(`${groups} groups of ${SIZE}: ${groups * SIZE} trajectories`);
    const ours = measureOurs(groups);
    const theirs = measureNumpy(groups);
    report(ours, theirs);
    return { trajectories: groups * SIZE, seconds: total(ours) };
  });
const [first, last] = [runs[0], runs.at(-1)];
if (first !== undefined && last !== undefined && first !== last) {
  const growth = last.seconds / first.seconds;
  const size = last.trajectories / first.trajectories;
  console.log(`growth: ${size}× the trajectories take ${growth.toFixed(1)}× the time`);
}

function measureOurs(
  groups: number,
): Timing & { readonly copy: number; readonly flatCopy: number; readonly bytes: number } {
  const rewards = rewardsOf(groups, SIZE);
  const kernel = best(() => void calculateGrpoAdvantages(rewards));
  const copy = best(() => void rewards.map((own) => own.slice()));
  const flat = new Float64Array(groups * SIZE);
  const flatCopy = best(() => void flat.slice());
  const episodes = episodesOf(groups, SIZE);
  let least: Stages | undefined;
  let check = {};
  for (let repeat = 0; repeat < repeats; repeat++) {
    const { stages, metrics } = walkPath(episodes);
    if (least === undefined || total(stages) < total(least)) least = stages;
    check = metrics;
  }
  collectGarbage();
  const before = heldBytes();
  const result = walkPath(episodes);
  collectGarbage();
  const bytes = (heldBytes() - before) / (groups * SIZE);
  if (result.groups.length === 0 || least === undefined) throw new Error('Nothing was left to train on.');
  return { ...least, kernel, copy, flatCopy, bytes, check };
}

function measureNumpy(groups: number): Timing | undefined {
  const script = fileURLToPath(new URL('./reference_numpy.py', import.meta.url));
  try {
    const args = [script, String(groups), String(SIZE), String(Math.min(repeats, 3))];
    return JSON.parse(
      execFileSync(values.python, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }),
    );
  } catch (thrown) {
    const text = thrown instanceof Error ? (thrown.message.trim().split('\n').at(-1) ?? '') : String(thrown);
    console.log(`  numpy: skipped (${text})`);
    return undefined;
  }
}

function report(ours: ReturnType<typeof measureOurs>, theirs: Timing | undefined): void {
  const rows = ['kernel', 'group', 'filter', 'advantages'] as const;
  for (const row of rows) line(row === 'kernel' ? 'GRPO kernel' : row, ours[row], theirs?.[row]);
  line('whole path', total(ours), theirs && total(theirs));
  console.log(
    `  kernel ÷ copying the arrays ${(ours.kernel / ours.copy).toFixed(2)}×, ÷ copying one flat array ${(ours.kernel / ours.flatCopy).toFixed(0)}×`,
  );
  console.log(`  held afterwards: ${ours.bytes.toFixed(0)} bytes per trajectory`);
  for (const [key, value] of Object.entries(theirs?.check ?? {})) {
    const own = ours.check[key] ?? Number.NaN;
    if (!(Math.abs(own - value) <= 1e-9)) throw new Error(`${key} is ${own} here and ${value} in numpy.`);
  }
}

function line(name: string, ours: number, theirs: number | undefined): void {
  const ratio =
    theirs === undefined
      ? ''
      : `   numpy ${(1000 * theirs).toFixed(0).padStart(6)} ms   ${(theirs / ours).toFixed(1)}×`;
  console.log(`  ${name.padEnd(12)} ${(1000 * ours).toFixed(1).padStart(8)} ms${ratio}`);
}

function total({ group, filter, advantages }: Stages): number {
  return group + filter + advantages;
}

function best(run: () => void): number {
  let least = Number.POSITIVE_INFINITY;
  for (let repeat = 0; repeat < 4 * repeats; repeat++) least = Math.min(least, cpuSeconds(run));
  return least;
}
