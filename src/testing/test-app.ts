import type { RllmConfigInput } from '../config/index.js';
import { type App, type AppOptions, createApp } from '../container/index.js';
import type { RunSummary } from '../trainer/index.js';
import type { Metrics } from '../types/index.js';
import type { WorkflowDefinition } from '../workflow/index.js';
import {
  type InMemoryBackend,
  inMemoryBackend,
  type RecordedUpdate,
  type ScriptedPolicy,
} from './in-memory-backend.js';

export interface TestAppOptions extends AppOptions {
  /** What the model says; by default `yes` or `no` at random, the more often the more it was reinforced. */
  readonly policy?: ScriptedPolicy;
  /** `trainer.seed`. */
  readonly seed?: number;
}

/** What a run has done. */
export interface TestRun {
  readonly summary: RunSummary;
  /** Metrics of each step. */
  readonly steps: readonly Metrics[];
  /** What each update was given: groups, replies, advantages. */
  readonly updates: readonly RecordedUpdate[];
  /** `advantages[u][g][i][s]`: of update u, group g, trajectory i, step s; a number, or one per token. */
  readonly advantages: readonly (readonly (readonly (readonly (
    | number
    | readonly number[]
    | undefined
  )[])[])[])[];
}

/** An app on the in-memory backend. */
export interface TestApp extends AsyncDisposable {
  readonly app: App;
  readonly backend: InMemoryBackend;
  /** Runs to the end; a second call gives the same run. */
  train(): Promise<TestRun>;
  dispose(): Promise<void>;
}

/**
 * A whole app in a test: real config, container, trainer; a scripted model; nothing written, nothing random but by the seed.
 *
 * ```ts
 * await using test = await testApp({ algorithm: { estimator: 'opo' } }, { plugins: [plugin] });
 * const { advantages, steps } = await test.train();
 * ```
 *
 * Left out, the config trains 2 steps of 2 tasks with 4 rollouts each; the workflow asks one question and gives 1 for the answer
 * `yes`, or for what the task has as `answer`; there are 4 tasks.
 *
 * @throws RllmError as `createApp` does.
 */
export async function testApp(config: RllmConfigInput = {}, options: TestAppOptions = {}): Promise<TestApp> {
  const { policy = sayMoreOfWhatPays, seed, plugins = [], ...rest } = options;
  const definition = inMemoryBackend({ policy });
  const input: RllmConfigInput = {
    ...config,
    backend: definition.name,
    rollout: { n: 4, ...config.rollout },
    data: { trainBatchSize: 2, dropLast: false, ...config.data },
    trainer: {
      totalBatches: 2,
      testFreq: 0,
      saveFreq: 0,
      valBeforeTrain: false,
      ...config.trainer,
      ...(seed === undefined ? {} : { seed }),
    },
  };
  const app = await createApp(input, {
    ...(config.workflow?.use === undefined ? { workflow: ask } : {}),
    ...(config.data?.train === undefined ? { trainData: TASKS } : {}),
    run: null,
    ...rest,
    plugins: [{ name: 'rllm-sdk/testing', apiVersion: 1, backends: [definition] }, ...plugins],
  });
  let run: Promise<TestRun> | undefined;
  const [backend] = definition.created;
  if (backend === undefined)
    throw new Error('a test app trains its own backend; do not bind another to BACKEND');
  const train = async (): Promise<TestRun> => {
    const trainer = await app.trainer();
    const steps: Metrics[] = [];
    for await (const event of trainer.events()) if (event.event === 'step') steps.push(event.metrics);
    const { updates } = backend;
    const advantages = updates.map(({ groups }) =>
      groups.map(({ trajectories }) => trajectories.map((trajectory) => trajectory.advantages)),
    );
    return { summary: await trainer.fit(), steps, updates, advantages };
  };
  return {
    app,
    backend,
    train() {
      run ??= train();
      return run;
    },
    dispose: () => app.dispose(),
    [Symbol.asyncDispose]: () => app.dispose(),
  };
}

const TASKS = [{ id: 'a' }, { id: 'b' }, { id: 'c' }, { id: 'd' }];

const sayMoreOfWhatPays: ScriptedPolicy = ({ preference, random }) => {
  const difference = 0.2 * (preference('yes') - preference('no'));
  return random.next() < 1 / (1 + Math.exp(-difference)) ? 'yes' : 'no';
};

/** A plain definition, since `defineWorkflow` would declare it in every program that imports this module. */
const ask: WorkflowDefinition = {
  name: 'ask',
  async run(task, context) {
    const agent = context.agent('agent');
    const { text } = await agent.respond(`question ${String(task['id'])}`);
    agent.reward(text === (task['answer'] ?? 'yes') ? 1 : 0);
  },
};
