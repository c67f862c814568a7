// A program for a test: starts a training in a folder, or goes on with the one that is there, on the built SDK. It prints a dot
// per step.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createApp, PLUGIN_API_VERSION } from '../../dist/index.js';
import { inMemoryBackend } from '../../dist/testing/index.js';

const [, , directory] = process.argv;

const backend = inMemoryBackend({
  policy({ preference, random }) {
    const difference = 0.2 * (preference('yes') - preference('no'));
    return random.next() < 1 / (1 + Math.exp(-difference)) ? 'yes' : 'no';
  },
});

const app = await createApp(
  {
    backend: { name: 'in-memory' },
    data: { trainBatchSize: 2 },
    rollout: { n: 4, nVal: 2 },
    trainer: { totalBatches: 30, saveFreq: 3, testFreq: 5 },
    tracking: { trackers: [], logEpisodes: true },
  },
  {
    plugins: [
      {
        name: 'in-memory',
        apiVersion: PLUGIN_API_VERSION,
        backends: [backend],
        hooks: { onBatchStart: () => void process.stdout.write('.') },
      },
    ],
    workflow: async (task, context) => {
      const agent = context.agent('agent');
      const { text } = await agent.respond(`question ${task.id}`);
      agent.reward(text === 'yes' ? 1 : 0);
    },
    trainData: Array.from({ length: 8 }, (_, i) => ({ id: `t${i}` })),
    valData: [{ id: 'a' }, { id: 'b' }, { id: 'c' }],
    run: existsSync(join(directory, 'manifest.json')) ? { resume: directory } : { directory },
  },
);
const trainer = await app.trainer();
await trainer.fit();
await app.dispose();
