import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { builtInEstimators, EstimatorRegistry } from '../../src/advantage/index.js';
import { type RllmConfigInput, redact, resolveConfig } from '../../src/config/index.js';
import type { Dataset } from '../../src/data/index.js';
import { declarationsOf } from '../../src/declarations.js';
import { type GroupingHook, taskRoleGrouping } from '../../src/grouping/index.js';
import { SILENT } from '../../src/logger.js';
import type { FakeClock } from '../../src/testing/fake-clock.js';
import {
  InMemoryBackend,
  type InMemoryBackendOptions,
  type ScriptedPolicy,
} from '../../src/testing/index.js';
import type { MetricsLine, TrackerDefinition } from '../../src/tracking/index.js';
import { type PluginHooks, RunFolder, type TrainerEvent, UnifiedTrainer } from '../../src/trainer/index.js';
import { defineWorkflow, WorkflowEngine, type WorkflowFunction } from '../../src/workflow/index.js';

/** Replies `yes` or `no` at random, by how much each was reinforced. */
export const learner: ScriptedPolicy = ({ preference, random }) => {
  const difference = 0.2 * (preference('yes') - preference('no'));
  return random.next() < 1 / (1 + Math.exp(-difference)) ? 'yes' : 'no';
};

/** One question, reward 1 for the task's answer. */
export const ask: WorkflowFunction = async (task, context) => {
  const agent = context.agent('agent');
  const { text } = await agent.respond(`question ${String(task['id'])}`);
  const isRight = text === (task['answer'] ?? 'yes');
  agent.reward(isRight ? 1 : 0);
  context.metric('right', Number(isRight));
};

export function tasks(n: number): { id: string }[] {
  return Array.from({ length: n }, (_, i) => ({ id: `t${i}` }));
}

export interface TinyRun {
  readonly config?: RllmConfigInput;
  readonly backend?: InMemoryBackend;
  readonly backendOptions?: Partial<InMemoryBackendOptions>;
  readonly policy?: ScriptedPolicy;
  readonly workflow?: WorkflowFunction;
  readonly trainData?: Dataset | undefined;
  readonly valData?: Dataset | undefined;
  readonly run?: RunFolder | null;
  readonly weights?: string;
  readonly trackers?: readonly TrackerDefinition[];
  readonly hooks?: readonly PluginHooks[];
  readonly estimators?: EstimatorRegistry;
  readonly groupingHook?: GroupingHook;
  readonly clock?: FakeClock;
}

/** The config of a tiny run: 8 tasks in batches of 2, 4 rollouts each, 2 epochs, so 8 steps. */
export function tinyConfig(config: RllmConfigInput = {}): ReturnType<typeof resolveConfig> {
  return resolveConfig({
    ...config,
    data: { trainBatchSize: 2, ...config.data },
    rollout: { n: 4, nVal: 2, ...config.rollout },
    trainer: {
      totalEpochs: 2,
      saveFreq: 3,
      testFreq: 4,
      valBeforeTrain: true,
      ...config.trainer,
    },
    tracking: { trackers: [], ...config.tracking },
  });
}

export function builtInRegistry(): EstimatorRegistry {
  const registry = new EstimatorRegistry();
  for (const target of builtInEstimators) {
    for (const declaration of declarationsOf(target)) registry.add(declaration, 'rllm-sdk');
  }
  return registry;
}

export interface Tiny {
  readonly trainer: UnifiedTrainer;
  readonly backend: InMemoryBackend;
}

export function tiny(run: TinyRun = {}): Tiny {
  const config = tinyConfig(run.config);
  const backend =
    run.backend ??
    new InMemoryBackend({ policy: run.policy ?? learner, ...run.backendOptions }, config.trainer.seed);
  const engine = new WorkflowEngine({
    workflow: defineWorkflow('ask', run.workflow ?? ask),
    options: {},
    rolloutEngine: backend.rolloutEngine,
    config: config.workflow,
    rollout: config.rollout,
    seed: config.trainer.seed,
  });
  const trainer = new UnifiedTrainer({
    config,
    estimators: run.estimators ?? builtInRegistry(),
    groupingHook: run.groupingHook ?? taskRoleGrouping,
    backend,
    engine,
    trackers: run.trackers ?? [],
    hooks: run.hooks ?? [],
    trainData: 'trainData' in run ? run.trainData : tasks(8),
    valData: 'valData' in run ? run.valData : tasks(3),
    run: run.run ?? null,
    weights: run.weights,
    logger: SILENT,
    clock: run.clock,
    now: nowOf(run.clock),
  });
  return { trainer, backend };
}

function nowOf(clock: FakeClock | undefined): (() => number) | undefined {
  return clock === undefined ? undefined : () => clock.now;
}

/** A new run's folder at a directory. */
export function newRun(directory: string, config?: RllmConfigInput): Promise<RunFolder> {
  const resolved = tinyConfig(config);
  return RunFolder.create({ config: resolved, configRecord: redact(resolved), runDir: directory });
}

export interface TempFolders {
  make(): Promise<string>;
  clear(): Promise<void>;
}

export function tempFolders(): TempFolders {
  const made: string[] = [];
  return {
    async make() {
      const folder = await mkdtemp(join(tmpdir(), 'rllm-run-'));
      made.push(folder);
      return folder;
    },
    async clear() {
      for (const folder of made.splice(0)) await rm(folder, { recursive: true, force: true });
    },
  };
}

export async function readLines(directory: string): Promise<MetricsLine[]> {
  const text = await readFile(join(directory, 'metrics.jsonl'), 'utf8');
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as MetricsLine);
}

/** Lines of `metrics.jsonl` less what differs between equal runs. */
export async function readNumbers(directory: string): Promise<Omit<MetricsLine, 'time'>[]> {
  return (await readLines(directory)).map(({ time: _time, metrics, ...line }) => ({
    ...line,
    metrics: Object.fromEntries(Object.entries(metrics).filter(([key]) => !key.startsWith('time/'))),
  }));
}

export async function collect(trainer: UnifiedTrainer): Promise<TrainerEvent[]> {
  const events: TrainerEvent[] = [];
  for await (const event of trainer.events()) events.push(event);
  return events;
}
