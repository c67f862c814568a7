import type { RllmConfigInput } from '../../src/config/index.js';
import type { AppOptions } from '../../src/container/index.js';
import { RllmError } from '../../src/errors.js';
import { definePlugin, type PluginDefinition } from '../../src/plugin-host/index.js';
import { type InMemoryBackendOptions, inMemoryBackend } from '../../src/testing/index.js';
import { defineWorkflow, type WorkflowDefinition } from '../../src/workflow/index.js';

/** One turn: the reward is 1 when the model says "yes". */
export const sayYes: WorkflowDefinition = defineWorkflow('say-yes', async (task, context) => {
  const agent = context.agent('speaker');
  const { content } = await agent.respond(String(task['question']));
  agent.reward(content === 'yes' ? 1 : 0);
});

export const QUESTIONS = [{ question: 'Is it so?' }, { question: 'And this?' }];

/** A plugin with the in-memory backend, whose policy says yes or no at random. */
export function memoryPlugin(more: Partial<InMemoryBackendOptions> = {}): PluginDefinition {
  const policy: InMemoryBackendOptions['policy'] = ({ random }) => (random.next() < 0.5 ? 'yes' : 'no');
  return definePlugin({ name: 'memory', apiVersion: 1, backends: [inMemoryBackend({ policy, ...more })] });
}

/** A config that trains on the in-memory backend, two steps of four rollouts per task. */
export const TRAINS: RllmConfigInput = {
  backend: 'in-memory',
  rollout: { n: 4 },
  data: { trainBatchSize: 2 },
  trainer: { totalEpochs: 2, testFreq: 0, valBeforeTrain: false },
  workflow: { nParallelTasks: 4 },
};

/** Options that go with `TRAINS`; nothing is written. */
export const inMemory = (more: AppOptions = {}): AppOptions => ({
  plugins: [memoryPlugin()],
  workflow: sayYes,
  trainData: QUESTIONS,
  run: null,
  useDeclared: false,
  ...more,
});

/** The RllmError that a promise rejects with. */
export async function errorOf(promise: Promise<unknown>): Promise<RllmError> {
  try {
    await promise;
  } catch (thrown) {
    if (RllmError.isInstance(thrown)) return thrown;
    throw thrown;
  }
  throw new Error('nothing was thrown');
}

/** Paths of the faults that an error reports. */
export function faultPaths(error: RllmError): readonly string[] {
  return (error.details['faults'] as readonly { readonly path: string }[]).map(({ path }) => path);
}
