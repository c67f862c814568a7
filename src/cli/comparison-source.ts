import { readFile } from 'node:fs/promises';
import { type StepSize, stepSizeOf } from '../advantage/index.js';
import {
  type ComparisonInput,
  groupEpisodes,
  inputOfGroups,
  inputOfTable,
  type RewardTable,
  readRewardTable,
  sizeOfGroups,
} from '../compare/index.js';
import { type App, GROUPING_HOOK } from '../container/index.js';
import { messageOf, RllmError } from '../errors.js';
import { RunFolder, readEpisodes } from '../trainer/index.js';
import { nearPath } from './invocation.js';

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
 * The groups to compare on: those of a run's saved step, made by the run's own transform and grouping hook, or a table of rewards.
 *
 * @throws RllmError USAGE, RUN_DIR_INVALID, GROUPING_HOOK
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
  return { name, input, size: sizeOfGroups(input.groups) };
}

function withLengths(table: RewardTable, lengths: string | undefined): RewardTable {
  if (lengths === undefined) return table;
  return readRewardTable({ ...table, lengths: parseJson(lengths, '--lengths') }, 'the table given');
}

async function sourceOfRun(run: string, step: number | undefined, app: App): Promise<ComparisonSource> {
  const { directory } = await RunFolder.resume(run);
  const { transform, compactFiltering } = app.config;
  const groupingHook = app.resolve(GROUPING_HOOK);
  for await (const saved of readEpisodes(directory, 'train', step ?? 'last')) {
    const grouping = { transform, compactFiltering, groupingHook };
    const { groups } = groupEpisodes(saved.episodes, grouping, { isNeeded: false, missing: 'error' });
    if (groups.length === 0) {
      throw new RllmError(
        'RUN_DIR_INVALID',
        `No rollout of step ${saved.step} of ${directory} is left to compare.`,
      );
    }
    const name = `step ${saved.step} of ${nearPath(directory, process.cwd())}`;
    return { name, input: inputOfGroups(groups), size: stepSizeOf(app.config) };
  }
  throw new RllmError('RUN_DIR_INVALID', `${directory} has no saved episodes.`);
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
