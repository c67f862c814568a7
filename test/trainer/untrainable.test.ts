import { expect, test } from 'vitest';
import {
  createApp,
  createStep,
  createTrajectory,
  type TrainerEvent,
  type Trajectory,
} from '../../src/index.js';
import { InMemoryBackend } from '../../src/testing/in-memory-backend.js';
import { collect, tiny } from './tiny-run.js';

const ONE_STEP = { trainer: { totalBatches: 1, testFreq: 0, saveFreq: 0, valBeforeTrain: false } };

function stepsOf(events: readonly TrainerEvent[]): readonly Readonly<Record<string, number>>[] {
  return events.flatMap((event) => (event.event === 'step' ? [event.metrics] : []));
}

test('what the backend cannot train on is left out before it is compared, and has its reason in the ledger', async () => {
  const backend = Object.assign(
    new InMemoryBackend({ policy: ({ identity }) => (identity.rolloutIndex < 2 ? 'yes' : 'no') }, 0),
    {
      trajectoryFault: ({ reward }: Trajectory) => (reward === 0 ? ('logprobs_missing' as const) : undefined),
    },
  );
  const config = { ...ONE_STEP, rejectionSample: { mode: 'group' as const } };
  const events = await collect(tiny({ config, backend }).trainer);
  expect(stepsOf(events)).toEqual([
    expect.objectContaining({
      'batch/dropped_malformed_sequences': 4,
      'batch/dropped_malformed_sequences/logprobs_missing': 4,
      'ledger/started': 8,
      'ledger/trained': 0,
      'ledger/dropped/logprobs_missing': 4,
      'ledger/dropped/uniform_group': 4,
    }),
  ]);
  expect(events).toContainEqual(
    expect.objectContaining({
      event: 'warning',
      code: 'STEP_SKIPPED',
      message: expect.stringContaining('4 have a step without log-probs'),
    }),
  );
});

test('a workflow that brings no log-probs trains nothing on the local backend, and every step says so', async () => {
  const app = await createApp(
    {
      ...ONE_STEP,
      backend: {
        name: 'local',
        options: {
          local: { vocabulary: { words: ['<s>', 'a'], bos: '<s>' }, model: { dModel: 8, contextLength: 8 } },
        },
      },
      rollout: { n: 2 },
      data: { trainBatchSize: 2 },
    },
    {
      trainData: [{ id: 'x' }, { id: 'y' }],
      run: null,
      workflow: async (_task, context) => {
        const step = createStep({ promptIds: [0], responseIds: [1] });
        context.commit(createTrajectory({ name: 'agent', reward: context.rolloutIndex, steps: [step] }));
      },
    },
  );
  try {
    const events = await collect(await app.trainer());
    expect(stepsOf(events)).toEqual([
      expect.objectContaining({ 'ledger/trained': 0, 'ledger/dropped/logprobs_missing': 4 }),
    ]);
    expect(events).toContainEqual(expect.objectContaining({ event: 'warning', code: 'STEP_SKIPPED' }));
  } finally {
    await app.dispose();
  }
});
