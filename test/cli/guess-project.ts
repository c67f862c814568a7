import { project } from './project.js';

/** A policy that learns to say yes, a workflow that rewards it, and a pause per rollout to send signals in. */
const PLUGIN = `
import { definePlugin, defineWorkflow } from 'rllm-sdk';
import { inMemoryBackend } from 'rllm-sdk/testing';

const guess = defineWorkflow('guess', async (task, context) => {
  const agent = context.agent('player');
  const { text } = await agent.respond('secret ' + task.id);
  if (process.env.PAUSE_MS) await new Promise((done) => setTimeout(done, Number(process.env.PAUSE_MS)));
  if (process.env.LATE && context.step === 2) void Promise.reject(new Error(process.env.LATE));
  agent.reward(text === 'yes' ? 1 : 0);
  context.terminate('env_done');
});

const backend = inMemoryBackend({
  policy: ({ preference, random }) =>
    random.next() < 1 / (1 + Math.exp((preference('no') - preference('yes')) / 60)) ? 'yes' : 'no',
});

export default definePlugin({ name: 'guess', apiVersion: 1, workflows: [guess], backends: [backend] });
`;

export const CONFIG = {
  plugins: ['./guess.ts'],
  backend: 'in-memory',
  workflow: { use: 'guess' },
  data: { train: 'tasks.jsonl', val: 'tasks.jsonl', trainBatchSize: 2 },
  rollout: { n: 4 },
  trainer: { projectName: 'guessing', totalBatches: 6, saveFreq: 2 },
};

/** A folder in which \`rllm train\` takes a moment, without a model; \`files\` are added or take the place of others. */
export function guessProject(files: Readonly<Record<string, string | object>> = {}): string {
  return project({
    'guess.ts': PLUGIN,
    'tasks.jsonl': '{"id":"a"}\n{"id":"b"}\n{"id":"c"}\n{"id":"d"}\n',
    'rllmrc.json': CONFIG,
    ...files,
  });
}
