import { createApp, defineWorkflow, type Metrics, SILENT } from 'rllm-sdk';
import type { FakeTurn } from 'rllm-tinker-client/testing';
import { expect, test } from 'vitest';
import tinker from '../../src/index.js';
import { fakeEngine, optionsFor } from '../drive-backend.js';

/** Three tokens, and a log-prob for two of them. */
const SHORT: FakeTurn = {
  status: 200,
  body: { type: 'sample', sequences: [{ stop_reason: 'stop', tokens: [5, 6, 7], logprobs: [-1, -2] }] },
};

test('a rollout that misses an answer is tried again as a whole, then dropped for it; nothing is matched by position', async () => {
  const server = await fakeEngine({ engine: 'tx' });
  let samples = 0;
  const turn: FakeTurn = ({ headers }) => {
    if (headers['x-tinker-request-type'] !== 'Sample') return undefined;
    samples++;
    // The second of three calls, in both attempts at the first rollout.
    return samples === 2 || samples === 4 ? SHORT : undefined;
  };
  server.script('/retrieve_future', ...Array.from({ length: 100 }, () => turn));
  const threeCalls = defineWorkflow('three-calls', async (_task, { agent, rolloutIndex }) => {
    const solver = agent('solver');
    for (const turns of ['one', 'two', 'three']) await solver.respond(turns);
    solver.trajectory.reward = rolloutIndex;
  });
  const told: string[] = [];
  const tell = (line: string): void => void told.push(line);
  await using app = await createApp(
    {
      workflow: { nParallelTasks: 1, retryLimit: 2, raiseOnError: false },
      compactFiltering: { enable: true, maskError: true },
      rollout: { n: 3, train: { maxTokens: 2 } },
      data: { trainBatchSize: 1 },
      trainer: { totalEpochs: 1 },
      backend: { name: 'tinker', options: { tinker: await optionsFor(server) } },
    },
    {
      plugins: [tinker],
      workflow: threeCalls,
      trainData: [{ id: 't' }],
      run: null,
      useDeclared: false,
      logger: { ...SILENT, warn: tell, error: tell },
    },
  );
  let metrics: Metrics = {};
  for await (const event of (await app.trainer()).events()) {
    if (event.event === 'step') metrics = event.metrics;
  }
  expect(samples).toBe(10);
  expect(told).toContainEqual(expect.stringContaining('sequence 0 has 3 tokens and 2 logprobs'));
  expect(metrics).toMatchObject({
    'ledger/started': 3,
    'ledger/dropped/filtered_error': 1,
    'ledger/trained': 2,
  });
});
