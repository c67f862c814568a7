import { expect, test } from 'vitest';
import { linkPlugin } from '../../../test/cli/link-plugin.js';
import { project } from '../../../test/cli/project.js';
import { eventsOf, rllm } from '../../../test/cli/rllm.js';
import { fakeServer } from './fake-server.js';

const WORKFLOW = `
import { definePlugin, defineWorkflow } from 'rllm-sdk';
const greet = defineWorkflow('greet', async (task, context) => {
  const agent = context.agent('greeter');
  const { content } = await agent.respond(task.question);
  agent.reward(content === 'hello' ? 1 : 0);
});
export default definePlugin({ name: 'greet', apiVersion: 1, workflows: [greet] });
`;

/** A user's folder with the built plugin installed. */
function folderFor(baseURL: string): string {
  const folder = project({
    'greet.ts': WORKFLOW,
    'tasks.jsonl': '{"question":"hi"}\n{"question":"good day"}\n',
    'rllmrc.json': {
      plugins: ['rllm-plugin-openai', './greet.ts'],
      backend: { name: 'openai', options: { openai: { baseURL } } },
      workflow: { use: 'greet' },
      data: { train: 'tasks.jsonl', val: 'tasks.jsonl', trainBatchSize: 2 },
    },
  });
  linkPlugin(folder, 'rllm-plugin-openai');
  return folder;
}

test('rllm eval measures the model of a server', async () => {
  const { baseURL } = await fakeServer();
  const outcome = await rllm(folderFor(baseURL), ['eval', '--json']);
  expect(outcome.stderr).toContain('2 calls, 6 prompt tokens, 4 completion tokens');
  expect(eventsOf(outcome)).toMatchObject([{ metrics: { 'val/unknown/pass@1': 1 } }]);
  expect(outcome.code).toBe(0);
});

test('rllm train is refused before a run’s folder is made', async () => {
  const { baseURL, seen } = await fakeServer();
  const outcome = await rllm(folderFor(baseURL), ['train', '--run-dir', 'run']);
  expect(outcome.code).toBe(2);
  expect(outcome.stderr).toContain('CAPABILITY_MISSING');
  expect(outcome.stderr).toContain('trainer.valOnly');
  expect(seen).toEqual([]);
});
