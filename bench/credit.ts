// Credit assignment, the whole path: group → filter → advantages → metrics, and the GRPO kernel alone.
//
//   npm run bench -- credit [--python PATH] [--repeats 20] [--groups 20000,200000]
//
// Against bench/reference_numpy.py, a straight numpy version of the same path, run by `python3` or by the Python given; without numpy that
// column is left out. Each stage is told at its best of the repeats, as the script takes them: in CPU seconds of the process, ours with the
// threads of the garbage collector, and by the clock on the wall. Memory is what is still held afterwards, per trajectory, the episodes apart.
//
// On a machine of 2 cores (AMD EPYC, Node 20.20.2, numpy 2.4.6), CPU time and ÷ numpy, one of six runs:
//
//   trajectories   GRPO kernel     group            filter          advantages      whole path                   held
//   160,000        3.1 ms  124×    22 ms    6.9×    1.1 ms 326×     17 ms   41×      40 ms  30.2× (clock 30.2×)  36 B
//   1,600,000      60 ms    87×    435 ms   4.5×    17 ms  232×     190 ms  39×     642 ms  20.6× (clock 23.4×)  36 B
//
// and with a young generation that holds what grouping makes, NODE_OPTIONS=--max-semi-space-size=64:
//
//   160,000        3.1 ms  125×    21 ms    7.0×    0.7 ms 512×     19 ms   37×      41 ms  29.7× (clock 29.8×)  36 B
//   1,600,000      34 ms   120×    226 ms   7.3×    9 ms   395×     235 ms  32×     470 ms  27.3× (clock 30.0×)  36 B
//
// Over six runs with Node's own 16 MB: 28.2 to 30.2 times at 160,000; 19.0 to 21.2 at 1.6 million, by the clock 21.0 to 23.6, since a second
// core collects garbage at the same time. Where the episodes came to lie in memory is chance, and moves grouping by a third from one process
// to the next.
//
// By the clock a trajectory takes 376 ns in 160,000, 325 in 320,000, 322 in 640,000, 355 in 1.28 million, 341 in 1.6 million and 377 in 2.56
// million (`--groups 20000,40000,80000,160000,200000,320000 --python none --repeats 12`); in other processes it was 250 to 285 in 160,000,
// where the best run is one without a garbage collection.
//
// The kernel takes 0.7 to 2.7 times what copying its input takes, the ragged rewards with an array for each group, and 23 to 45 times what
// copying the same numbers as one flat array takes: making the arrays is half of it. The path itself makes none, see `src/ragged.ts`.
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { calculateGrpoAdvantages } from '../src/advantage/index.js';
import type { Metrics } from '../src/types/index.js';
import { collectGarbage, heldBytes, leastOf, type Seconds, secondsOf } from './credit/measure.js';
import { type Stages, walkPath } from './credit/path.js';
import { episodesOf, rewardsOf } from './credit/rollouts.js';

const SIZE = 8;
const { values } = parseArgs({
  args: process.argv.slice(3),
  options: {
    python: { type: 'string', default: process.env['BENCH_PYTHON'] ?? 'python3' },
    repeats: { type: 'string', default: '20' },
    groups: { type: 'string', default: '20000,200000' },
  },
});
const repeats = Number(values.repeats);

interface Timing extends Omit<Stages, 'accounts'> {
  readonly kernel: Seconds;
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
    return { trajectories: groups * SIZE, seconds: total(ours).wall };
  });
if (runs.length > 1) {
  const each = runs.map(
    ({ trajectories, seconds }) => `${trajectories} ${((1e9 * seconds) / trajectories).toFixed(0)} ns`,
  );
  console.log(`whole path, for each trajectory of: ${each.join(', ')} (by the clock)`);
}

function measureOurs(
  groups: number,
): Timing & Stages & { readonly copy: Seconds; readonly flatCopy: Seconds; readonly bytes: number } {
  const rewards = rewardsOf(groups, SIZE);
  const flat = new Float64Array(groups * SIZE);
  const { kernel, copy, flatCopy } = bestInTurns({
    kernel: () => void calculateGrpoAdvantages(rewards),
    copy: () => void rewards.map((own) => own.slice()),
    flatCopy: () => void flat.slice(),
  });
  const episodes = episodesOf(groups, SIZE);
  const { least, check } = repeatPath(episodes);
  collectGarbage();
  const before = heldBytes();
  const result = walkPath(episodes);
  collectGarbage();
  const bytes = (heldBytes() - before) / (groups * SIZE);
  if (result.groups.length === 0) throw new Error('Nothing was left to train on.');
  return { ...least, kernel, copy, flatCopy, bytes, check };
}

/** Each stage at its best, as the numpy script takes them. What a run made is held until the next one is through. */
function repeatPath(episodes: ReturnType<typeof episodesOf>): {
  readonly least: Stages;
  readonly check: Metrics;
} {
  let latest = walkPath(episodes);
  let least = latest.stages;
  for (let repeat = 1; repeat < repeats; repeat++) {
    latest = walkPath(episodes);
    least = leastStages(least, latest.stages);
  }
  return { least, check: latest.metrics };
}

function leastStages(a: Stages, b: Stages): Stages {
  return {
    group: leastOf(a.group, b.group),
    filter: leastOf(a.filter, b.filter),
    advantages: leastOf(a.advantages, b.advantages),
    accounts: leastOf(a.accounts, b.accounts),
  };
}

function measureNumpy(groups: number): Timing | undefined {
  const script = fileURLToPath(new URL('./reference_numpy.py', import.meta.url));
  try {
    const args = [script, String(groups), String(SIZE), String(Math.min(repeats, 5))];
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
  line('ledger and metrics of rollouts, besides', ours.accounts, undefined);
  console.log(
    `  kernel ÷ copying its input, an array per group ${(ours.kernel.cpu / ours.copy.cpu).toFixed(2)}×, ÷ copying the same numbers as one flat array ${(ours.kernel.cpu / ours.flatCopy.cpu).toFixed(0)}×`,
  );
  console.log(`  held afterwards: ${ours.bytes.toFixed(0)} bytes per trajectory`);
  for (const [key, value] of Object.entries(theirs?.check ?? {})) {
    const own = ours.check[key] ?? Number.NaN;
    if (!(Math.abs(own - value) <= 1e-9)) throw new Error(`${key} is ${own} here and ${value} in numpy.`);
  }
}

function line(name: string, ours: Seconds, theirs: Seconds | undefined): void {
  const columns = (['cpu', 'wall'] as const).map((clock) => {
    const own = `${clock} ${(1000 * ours[clock]).toFixed(1).padStart(7)} ms`;
    if (theirs === undefined) return own;
    return `${own}   numpy ${(1000 * theirs[clock]).toFixed(0).padStart(6)} ms ${(theirs[clock] / ours[clock]).toFixed(1).padStart(6)}×`;
  });
  console.log(`  ${name.padEnd(12)} ${columns.join('     ')}`);
}

function total({ group, filter, advantages }: Omit<Stages, 'accounts'>): Seconds {
  return {
    cpu: group.cpu + filter.cpu + advantages.cpu,
    wall: group.wall + filter.wall + advantages.wall,
  };
}

/** Each at its best. Taken in turns, so that what the machine does meanwhile meets all of them. */
function bestInTurns<Name extends string>(runs: Readonly<Record<Name, () => void>>): Record<Name, Seconds> {
  const names = Object.keys(runs) as Name[];
  const timed = (): Record<Name, Seconds> =>
    Object.fromEntries(names.map((name) => [name, secondsOf(runs[name])])) as Record<Name, Seconds>;
  const least = timed();
  for (let repeat = 1; repeat < 2 * repeats; repeat++) {
    const next = timed();
    for (const name of names) least[name] = leastOf(least[name], next[name]);
  }
  return least;
}
