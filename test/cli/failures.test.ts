import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { CONFIG, guessProject } from './guess-project.js';
import { eventsOf, type Outcome, rllm } from './rllm.js';

/** One message with a code and a way out, nothing else on stderr, and no stack. */
function expectOneMessage({ stderr, code }: Outcome, errorCode: string, exit: number): void {
  expect(stderr).toMatch(new RegExp(`^error ${errorCode} {2}\\S`));
  expect(stderr.match(/^error /gm)).toHaveLength(1);
  expect(stderr).toMatch(/\nfix {2}\S.*\n$/);
  expect(stderr).not.toMatch(/\n\s+at /);
  expect(code).toBe(exit);
}

const workflow = (body: string): string => `
import { defineWorkflow } from 'rllm-sdk';
export const broken = defineWorkflow('broken', async (task, context) => { ${body} });
`;
const estimator = (body: string): string => `
import { AdvEstimator } from 'rllm-sdk';
export const broken = AdvEstimator('broken')((batch) => { ${body} });
`;

test('every fault of a wrong config is reported at once, each with file, path and the nearest name', async () => {
  const folder = guessProject({
    'rllmrc.json': {
      ...CONFIG,
      algorithm: { estimator: 'gropo' },
      rollout: { n: 'four' },
      trainr: {},
      plugins: [...CONFIG.plugins, './absent.ts'],
    },
  });
  const outcome = await rllm(folder, ['train', '--json']);
  expectOneMessage(outcome, 'CONFIG_INVALID', 2);
  const lines = outcome.stderr.split('\n');
  const line = (path: string): string | undefined => lines.find((text) => text.includes(path));
  expect(line('algorithm.estimator')).toMatch(/rllmrc\.json.*"gropo".*Did you mean "grpo"/);
  expect(line('rollout.n')).toMatch(/rllmrc\.json.*number/);
  expect(line('trainr')).toMatch(/Did you mean "trainer"|"trainer"/);
  expect(line('absent.ts')).toBeDefined();
  expect(eventsOf(outcome)).toMatchObject([{ event: 'error', code: 'CONFIG_INVALID' }]);
  expect(existsSync(join(folder, 'runs'))).toBe(false);
});

test('a config file that is not there, or is not JSON', async () => {
  const folder = guessProject({ 'broken.json': '{ "trainer": ' });
  expectOneMessage(await rllm(folder, ['train', '--config', 'absent.json']), 'CONFIG_NOT_FOUND', 2);
  expectOneMessage(await rllm(folder, ['train', '--config', 'broken.json']), 'CONFIG_UNREADABLE', 2);
});

test.each([
  ['an absent dataset', {}, 'data.train=absent.jsonl', 'DATASET_INVALID'],
  ['an empty dataset', { 'empty.jsonl': '' }, 'data.train=empty.jsonl', 'DATASET_EMPTY'],
  [
    'a row that is no object',
    { 'bad.jsonl': '{"id":"a"}\n[1]\n' },
    'data.train=bad.jsonl',
    'DATASET_INVALID',
  ],
  ['a dataset smaller than a batch', {}, 'data.trainBatchSize=100', 'DATASET_TOO_SMALL'],
] as const)('%s is an error before anything is written', async (_name, files, set, code) => {
  const folder = guessProject(files);
  const outcome = await rllm(folder, ['train', '--set', set, '--set', 'data.dropLast=true']);
  expectOneMessage(outcome, code, 2);
  expect(outcome.stdout).not.toContain('failed ·');
  expect(existsSync(join(folder, 'runs'))).toBe(false);
});

test('a workflow that throws stops the run where that is asked for', async () => {
  const folder = guessProject({ 'broken.ts': workflow('throw new TypeError("no such tool");') });
  const outcome = await rllm(folder, [
    'train',
    ...['--set', 'plugins=["./guess.ts","./broken.ts"]'],
    ...['--set', 'workflow.use=broken', '--set', 'workflow.raiseOnError=true'],
  ]);
  expectOneMessage(outcome, 'WORKFLOW_FAILED', 1);
  expect(outcome.stderr).toContain('no such tool');
});

test.each([
  ['throws', workflow('throw new TypeError("no such tool");')],
  ['hangs', workflow('await new Promise(() => setInterval(() => {}, 1000));')],
  ['returns nothing', workflow('')],
] as const)(
  'a workflow that %s in every rollout trains on nothing, and each step says so',
  async (_name, plugin) => {
    const folder = guessProject({ 'broken.ts': plugin });
    const outcome = await rllm(folder, [
      'train',
      '--json',
      ...['--set', 'plugins=["./guess.ts","./broken.ts"]', '--set', 'trainer.totalBatches=1'],
      ...['--set', 'workflow.use=broken', '--set', 'workflow.raiseOnError=false'],
      ...['--set', 'workflow.timeoutMs=100', '--set', 'workflow.retryLimit=1'],
    ]);
    expect(outcome.code).toBe(0);
    expect(eventsOf(outcome).filter(({ event }) => event === 'warning')).toMatchObject([
      { code: 'STEP_SKIPPED' },
    ]);
    expect(outcome.stderr).toMatch(/warning STEP_SKIPPED {2}Step 1 changed nothing/);
  },
);

test.each([
  ['the wrong shape', 'return { advantages: [[1]] };', 'ESTIMATOR_OUTPUT'],
  ['NaN', 'return { advantages: batch.rewards.map((g) => g.map(() => NaN)) };', 'ESTIMATOR_OUTPUT'],
  ['nothing', '', 'ESTIMATOR_OUTPUT'],
  ['an exception', 'throw new Error("division by zero");', 'ESTIMATOR_THREW'],
] as const)('an estimator that gives %s stops the run with its name', async (_name, body, code) => {
  const folder = guessProject({ 'broken.ts': estimator(body) });
  const outcome = await rllm(folder, [
    'train',
    ...['--run-dir', 'run', '--set', 'plugins=["./guess.ts","./broken.ts"]'],
    ...['--set', 'algorithm.estimator=broken'],
  ]);
  expectOneMessage(outcome, code, 1);
  expect(outcome.stderr).toContain('"broken"');
  expect(existsSync(join(folder, 'run/checkpoints'))).toBe(false);
});

test('a failed run ends its JSON with the error, once', async () => {
  const folder = guessProject({ 'broken.ts': estimator('') });
  const outcome = await rllm(folder, [
    'train',
    ...['--json', '--set', 'plugins=["./guess.ts","./broken.ts"]', '--set', 'algorithm.estimator=broken'],
  ]);
  const events = eventsOf(outcome);
  expect(events.at(-1)).toMatchObject({
    event: 'end',
    status: 'failed',
    summary: { error: { code: 'ESTIMATOR_OUTPUT' } },
  });
  expect(events.filter(({ event }) => event === 'error')).toEqual([]);
});

test('--verbose and DEBUG=rllm show where an error comes from', async () => {
  const folder = guessProject({ 'broken.ts': estimator('throw new Error("division by zero");') });
  const args = [
    'train',
    '--set',
    'plugins=["./guess.ts","./broken.ts"]',
    '--set',
    'algorithm.estimator=broken',
  ];
  expect((await rllm(folder, [...args, '--verbose'])).stderr).toMatch(/\n\s+at .*broken\.ts/);
  expect((await rllm(folder, args, { DEBUG: 'rllm' })).stderr).toMatch(/\n\s+at .*broken\.ts/);
});

test('a dry run finds a workflow that fails', async () => {
  const folder = guessProject({ 'broken.ts': workflow('throw new TypeError("no such tool");') });
  const outcome = await rllm(folder, [
    'train',
    ...['--dry-run', '--set', 'plugins=["./guess.ts","./broken.ts"]', '--set', 'workflow.use=broken'],
  ]);
  expectOneMessage(outcome, 'WORKFLOW_FAILED', 1);
  expect(outcome.stderr).toContain('no such tool');
});

test('an error that an agent throws outside its rollout is reported with a code', async () => {
  const late = workflow(
    'setTimeout(() => { throw new Error("too late"); }, 5); await new Promise(() => {});',
  );
  const folder = guessProject({ 'broken.ts': late });
  const outcome = await rllm(folder, [
    'train',
    ...['--set', 'plugins=["./guess.ts","./broken.ts"]', '--set', 'workflow.use=broken'],
  ]);
  expect(outcome.code).toBe(1);
  expect(outcome.stderr).toMatch(/^error UNHANDLED_ERROR {2}Thrown where nobody waits for it: too late\n/);
  expect(outcome.stderr).not.toMatch(/\n\s+at /);
});

test('a run without saved episodes cannot be replayed, and how to have them is said', async () => {
  const folder = guessProject();
  await rllm(folder, ['train', '--run-dir', 'run']);
  const outcome = await rllm(folder, ['advantages', 'recompute', 'run', '--estimator', 'rloo']);
  expectOneMessage(outcome, 'EPISODES_MISSING', 2);
  expect(outcome.stderr).toMatch(/fix .*tracking\.logEpisodes/);
});
