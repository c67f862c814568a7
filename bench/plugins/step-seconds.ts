import { createApp, type InlinePlugin } from '../../src/index.js';
import { inMemoryBackend } from '../../src/testing/index.js';

const STEPS = 200;

/** CPU seconds of a step on the in-memory backend, its start apart: the mean over a run of 200. */
export async function stepSeconds(plugins: readonly InlinePlugin[]): Promise<number> {
  const backend = inMemoryBackend({ policy: ({ random }) => (random.next() < 0.5 ? 'yes' : 'no') });
  await using app = await createApp(
    {
      backend: backend.name,
      rollout: { n: 4 },
      data: { trainBatchSize: 2 },
      tracking: { trackers: [] },
      trainer: { totalBatches: STEPS, testFreq: 0, saveFreq: 0, valBeforeTrain: false },
    },
    {
      plugins: [{ name: 'bench', apiVersion: 1, backends: [backend] }, ...plugins],
      workflow: async (task, context) => {
        const agent = context.agent('agent');
        const { text } = await agent.respond(`question ${String(task['id'])}`);
        agent.reward(text === 'yes' ? 1 : 0);
      },
      trainData: Array.from({ length: 8 }, (_, i) => ({ id: `t${i}` })),
      run: null,
    },
  );
  const trainer = await app.trainer();
  const before = process.cpuUsage();
  await trainer.fit();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6 / STEPS;
}
