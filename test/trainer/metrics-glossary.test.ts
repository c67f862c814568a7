import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { EstimatorRegistry } from '../../src/advantage/index.js';
import type { RllmConfigInput } from '../../src/config/index.js';
import type { WorkflowFunction } from '../../src/workflow/index.js';
import { glossaryRows } from './metric-glossary.js';
import { builtInRegistry, newRun, readLines, tasks, tempFolders, tiny } from './tiny-run.js';

const folders = tempFolders();
afterAll(() => folders.clear());

/** Rollouts that differ: right, wrong, failing, silent, with a second role, without a name. */
const varied: WorkflowFunction = async (_task, context) => {
  if (context.rolloutIndex === 3 && context.step % 2 === 1) throw new Error('broken tool');
  const solver = context.agent('solver');
  const { text } = await solver.respond('question');
  solver.reward(text === 'yes' ? 1 : 0, { correct: Number(text === 'yes') });
  context.metric('words', text.length);
  if (context.rolloutIndex === 2) {
    const judge = context.agent('judge');
    await judge.respond('is it right?');
    judge.reward(1);
  }
  if (context.rolloutIndex === 1) {
    const unnamed = context.agent('');
    await unnamed.respond('and who are you?');
    unnamed.reward(0);
  }
};

const CONFIGS: readonly RllmConfigInput[] = [
  { rejectionSample: { mode: 'group' }, compactFiltering: { enable: true } },
  { rejectionSample: { mode: 'episode', minPartialSolveTasks: 3 }, transform: { imputeMissingNames: false } },
  {
    algorithm: { loneTrajectory: 'drop', estimatorMap: { judge: 'reinforce' } },
    rejectionSample: { minTrajsPerGroup: 1 },
  },
  { algorithm: { estimator: 'less_greedy', rewardClip: { max: 0.5 } } },
];

function withGreedy(): EstimatorRegistry {
  const registry = builtInRegistry();
  registry.addFunction('less_greedy', ({ rewards }) => ({ advantages: rewards }), 'test', {
    requires: ['greedyBaseline'],
  });
  return registry;
}

const rows = glossaryRows(['words']);
let logged: ReadonlySet<string>;

beforeAll(async () => {
  const keys = new Set<string>();
  for (const part of CONFIGS) {
    const config = { ...part, workflow: { raiseOnError: false, retryLimit: 1 } };
    const directory = `${await folders.make()}/run`;
    const valData = tasks(4).map((task, i) => ({ ...task, data_source: i % 2 === 0 ? 'gsm' : '' }));
    const run = await newRun(directory, config);
    await tiny({ config, run, valData, workflow: varied, estimators: withGreedy() }).trainer.fit();
    for (const { metrics } of await readLines(directory))
      for (const key of Object.keys(metrics)) keys.add(key);
  }
  logged = keys;
});

test('every metric that a run logs has a row in the glossary', () => {
  const unknown = [...logged].filter((key) => !rows.some(({ pattern }) => pattern.test(key)));
  expect(unknown).toEqual([]);
});

test('every row of the glossary stands for a metric that some run logs, those of the local backend apart', () => {
  const ofLocal = rows.findIndex(({ name }) => name === 'optim/lr');
  const silent = rows
    .filter(({ name }, i) => i < ofLocal || name === 'optim/tokens')
    .filter(({ pattern }) => ![...logged].some((key) => pattern.test(key)));
  expect(silent.map(({ name }) => name)).toEqual([]);
});

test('every metric that the source of the local backend names has a row', () => {
  const folder = new URL('../../src/backend/local/', import.meta.url);
  const sources = readdirSync(folder).filter((name) => name.endsWith('.ts'));
  const named = sources.flatMap((name) => [
    ...readFileSync(new URL(name, folder), 'utf8').matchAll(/'((?:batch|optim|train|time)\/[a-z0-9_/]+)'/g),
  ]);
  expect(named.length).toBeGreaterThan(5);
  const missing = named
    .map(([, key = '']) => key)
    .filter((key) => !rows.some(({ name }) => name === key || name.startsWith(`${key}/`)));
  expect(missing).toEqual([]);
});

test('no metric of the glossary is described twice', () => {
  const names = rows.map(({ name }) => name);
  expect(names.filter((name, i) => names.indexOf(name) !== i)).toEqual([]);
});
