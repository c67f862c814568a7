// What the Tinker client itself costs: CPU time of this process per step, the engine within the process and free of cost.
//
//   npm run bench -- tinker-client [--rollouts 512] [--tokens 512] [--repeats 20]
//
// A step is forward_backward on every rollout (importance sampling: four arrays of numbers besides the input) and optim_step, with the
// results read; sampling, one call per rollout, is told apart. CPU milliseconds are of the process with all its threads, the garbage
// collector's included; the lowest and the median of the repeats. Memory is the peak of the process above what it had before. The last lines are
// wall time with a latency on every request: a step submitted as a whole saves one of its four round trips.
//
// Two cores of an AMD EPYC, quiet, Node 20.20.2:
//   protobuf (hosted): train step 12.5 ms, 6.6 MB in 2 requests, 31 MB more at its peak; 512 samples 36 ms
//   json (tx):         train step 41.7 ms, 12.6 MB in 3 requests, 45 MB more at its peak; 512 samples 69 ms
//   a step of 8 rollouts at 50 ms per request: 152 to 154 ms in flight as a whole, 203 to 205 ms one by one
import { parseArgs } from 'node:util';
import { type Datum, ServiceClient, type TrainingClient } from 'rllm-tinker-client';
import { zeroEngine } from './tinker-client/zero-engine.js';

const { values } = parseArgs({
  args: process.argv.slice(3),
  options: {
    rollouts: { type: 'string', default: '512' },
    tokens: { type: 'string', default: '512' },
    repeats: { type: 'string', default: '20' },
  },
});
const [rollouts, tokens, repeats] = [values.rollouts, values.tokens, values.repeats].map(Number) as [
  number,
  number,
  number,
];
const PROMPT = 32;
const LATENCY_MS = 50;
const ADAM = { learningRate: 1e-4 };

for (const [wire, engine] of [
  ['json', 'tx'],
  ['protobuf', 'hosted'],
] as const) {
  const data = datums(engine === 'tx');
  const perRequest = rowsPerRequest(data, wire, engine);
  const zero = zeroEngine(wire, perRequest, tokens);
  const service = new ServiceClient({
    baseUrl: 'http://engine',
    apiKey: 'tml-bench',
    engine,
    wire,
    fetch: zero.fetch,
  });
  const model = await service.createTrainingClient({ baseModel: 'b' });
  const sampler = await service.samplingClient({ baseModel: 'b' });
  const prompt = Int32Array.from({ length: PROMPT }, (_, i) => i);

  zero.counts.bytes = 0;
  const step = await measure(() => trainStep(model, data));
  const sent = zero.counts.bytes / repeats / 1e6;
  const sample = await measure(async () => {
    await Promise.all(data.map(() => sampler.sample(prompt, { params: { maxTokens: tokens } })));
  });
  console.log(
    `${wire} (${engine}): train step ${told(step)}, ${sent.toFixed(1)} MB in ${perRequest.length} requests; ` +
      `${rollouts} samples ${told(sample)}`,
  );
  await service.close();
  await comparePipelining(wire, engine, data.slice(0, 8));
}

/** A small step with a latency on every request: submitted as a whole, and each part after the result of the one before. */
async function comparePipelining(
  wire: 'json' | 'protobuf',
  engine: 'tx' | 'hosted',
  data: readonly Datum[],
): Promise<void> {
  const slow = zeroEngine(wire, [data.length], tokens);
  const service = new ServiceClient({
    baseUrl: 'http://engine',
    apiKey: 'tml-bench',
    engine,
    wire,
    fetch: slow.fetch,
  });
  const model = await service.createTrainingClient({ baseModel: 'b' });
  slow.latencyMs = LATENCY_MS;
  const together = await wallMs(() => trainStep(model, data));
  const apart = await wallMs(async () => {
    await model.forwardBackward(data, 'importance_sampling');
    await model.optimStep(ADAM);
  });
  console.log(
    `${wire}: a step of ${data.length} rollouts at ${LATENCY_MS} ms per request takes ${together.toFixed(0)} ms in flight as a whole, ` +
      `${apart.toFixed(0)} ms one by one`,
  );
  await service.close();
}

async function trainStep(model: TrainingClient, data: readonly Datum[]): Promise<void> {
  const forward = model.forwardBackward(data, 'importance_sampling');
  const step = model.optimStep(ADAM);
  await forward;
  await step;
}

/** Rollouts as a trainer has them: log-probs of any digits, one advantage per rollout, a mask. */
function datums(withWeights: boolean): readonly Datum[] {
  return Array.from({ length: rollouts }, (_, r) => {
    const full = Int32Array.from({ length: tokens + 1 }, (_, i) => ((i + 1) * (r + 3) * 7919) % 150_000);
    const isAction = (i: number): boolean => i >= PROMPT - 1;
    const float = (value: (i: number) => number): Float32Array =>
      Float32Array.from({ length: tokens }, (_, i) => (isAction(i) ? value(i) : 0));
    return {
      modelInput: full.subarray(0, tokens),
      lossInputs: {
        target_tokens: full.subarray(1),
        logprobs: float((i) => -((((i + r) * 104_729) % 65_537) / 9973) - 1e-3),
        advantages: float(() => Math.sin(r)),
        ...(withWeights ? { weights: float(() => 1) } : {}),
      },
    };
  });
}

/** How the client splits the datums at 5,000,000 bytes by its estimate. */
function rowsPerRequest(
  data: readonly Datum[],
  wire: 'json' | 'protobuf',
  engine: 'tx' | 'hosted',
): readonly number[] {
  const bytes = wire === 'json' ? 10 * (engine === 'tx' ? 5 : 4) : 4 + 8 + 4 * (engine === 'tx' ? 3 : 2);
  const rows = Math.floor(5_000_000 / (bytes * tokens));
  const whole = Math.floor(data.length / rows);
  const rest = data.length - whole * rows;
  return [...Array.from({ length: whole }, () => rows), ...(rest > 0 ? [rest] : [])];
}

interface Measured {
  readonly bestMs: number;
  readonly medianMs: number;
  readonly peakMB: number;
}

async function measure(run: () => Promise<void>): Promise<Measured> {
  const before = process.memoryUsage.rss();
  let peak = before;
  const watch = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage.rss());
  }, 1);
  for (let warm = 0; warm < 5; warm++) await run();
  const times: number[] = [];
  for (let k = 0; k < repeats; k++) {
    const start = process.cpuUsage();
    await run();
    const { user, system } = process.cpuUsage(start);
    times.push((user + system) / 1000);
    peak = Math.max(peak, process.memoryUsage.rss());
  }
  clearInterval(watch);
  times.sort((a, b) => a - b);
  return { bestMs: times[0]!, medianMs: times[Math.floor(times.length / 2)]!, peakMB: (peak - before) / 1e6 };
}

async function wallMs(run: () => Promise<void>): Promise<number> {
  await run();
  const start = performance.now();
  await run();
  return performance.now() - start;
}

function told({ bestMs, medianMs, peakMB }: Measured): string {
  return `${bestMs.toFixed(1)} ms (median ${medianMs.toFixed(1)} ms), ${peakMB.toFixed(0)} MB more at its peak`;
}
