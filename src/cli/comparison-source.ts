import { readFile } from 'node:fs/promises';
import { estimatorOf, type StepSize, stepSizeOf } from '../advantage/index.js';
import {
  type ComparisonInput,
  dependsOnEarlier,
  inputOfGroups,
  inputOfTable,
  type RewardTable,
  readRewardTable,
  sizeOfGroups,
  type TrainedStep,
  trainedSteps,
} from '../compare/index.js';
import { type App, GROUPING_HOOK } from '../container/index.js';
import { messageOf, RllmError } from '../errors.js';
import { RunFolder, readEpisodes } from '../trainer/index.js';
import type { TrajectoryGroup } from '../types/index.js';
import { nearPath } from './invocation.js';
import { missingSteps, stepsUpTo } from './saved-steps.js';

export interface SourceOptions {
  /** JSON, or a file of it. */
  readonly rewards?: string;
  readonly lengths?: string;
  readonly run?: string;
  readonly step?: number;
}

export interface ComparisonSource {
  /** For people. */
  readonly name: string;
  readonly input: ComparisonInput;
  readonly size: StepSize;
  /** The steps of the run before, for estimators with state; absent without a run. */
  readonly earlier?: AsyncIterable<TrainedStep>;
  /** To be asked last: what may make the numbers others than those of the run. */
  notes(): readonly string[];
}

/** One of four solved, three of four, all: what each estimator makes of a hard task, an easy one and one without spread. */
const SAMPLE: RewardTable = {
  rewards: [
    [1, 0, 0, 0],
    [1, 1, 1, 0],
    [1, 1, 1, 1],
  ],
};

/**
 * The groups to compare on: those that trained in a run's saved step, by the run's own grouping and filters, or a table of rewards.
 *
 * @throws RllmError USAGE, EPISODES_MISSING, GROUPING_HOOK
 */
export async function openSource(options: SourceOptions, app: App): Promise<ComparisonSource> {
  const { rewards, lengths, run, step } = options;
  if (run === undefined && step !== undefined) {
    throw new RllmError('USAGE', '--step is a step of a run; name the run with --run DIR.');
  }
  if (run !== undefined) return sourceOfRun(run, step, app);
  if (rewards === undefined) {
    const table = withLengths(SAMPLE, lengths);
    return sourceOfTable(`rewards ${JSON.stringify(table.rewards)}, as none are given`, table);
  }
  const isInline = /^\s*[[{]/.test(rewards);
  const name = isInline ? '--rewards' : nearPath(rewards, process.cwd());
  const text = isInline ? rewards : await readText(rewards);
  const table = withLengths(readRewardTable(parseJson(text, name), name), lengths);
  return sourceOfTable(isInline ? 'the rewards given' : name, table);
}

function sourceOfTable(name: string, table: RewardTable): ComparisonSource {
  const input = inputOfTable(table);
  return { name, input, size: sizeOfGroups(input.groups), notes: () => [] };
}

function withLengths(table: RewardTable, lengths: string | undefined): RewardTable {
  if (lengths === undefined) return table;
  return readRewardTable({ ...table, lengths: parseJson(lengths, '--lengths') }, 'the table given');
}

async function sourceOfRun(run: string, step: number | undefined, app: App): Promise<ComparisonSource> {
  const { config, estimators } = app;
  const { directory } = await RunFolder.resume(run);
  const { value: saved } = await readEpisodes(directory, 'train', step ?? 'last').next();
  if (saved === undefined) throw new RllmError('EPISODES_MISSING', `${directory} has no saved episodes.`);
  const setting = { config, groupingHook: app.resolve(GROUPING_HOOK), registry: estimators };
  const needsBaseline = (role: string): boolean =>
    estimators.requirementsOf(estimatorOf(role, config.algorithm)).has('greedyBaseline');
  const seen = new Set([saved.step]);
  let isReplayed = false;
  async function* replay(last: number): AsyncGenerator<TrainedStep, void, undefined> {
    isReplayed = true;
    yield* trainedSteps(stepsUpTo(directory, last, seen), setting, needsBaseline);
  }
  const steps = dependsOnEarlier([], setting)
    ? replay(saved.step)
    : trainedSteps([saved], setting, needsBaseline);
  let groups: readonly TrajectoryGroup[] = [];
  for await (const one of steps) groups = one.groups;
  if (groups.length === 0) {
    throw new RllmError(
      'EPISODES_MISSING',
      `No rollout of step ${saved.step} of ${directory} is left to compare: its filters leave none, or all wait for later steps. Name another with --step.`,
    );
  }
  return {
    name: `step ${saved.step} of ${nearPath(directory, process.cwd())}`,
    input: inputOfGroups(groups),
    size: stepSizeOf(config),
    earlier: replay(saved.step - 1),
    notes: () => (isReplayed ? missingSteps(seen) : []),
  };
}

async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    throw new RllmError('USAGE', `--rewards takes JSON or a file of it; ${messageOf(cause)}.`, { cause });
  }
}

function parseJson(text: string, name: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (cause) {
    throw new RllmError('USAGE', `${name} is no JSON: ${messageOf(cause)}.`, { cause });
  }
}
