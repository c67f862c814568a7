import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { withoutNoOp } from '../no-op/without-no-op.js';
import { CONFIG, guessProject } from './guess-project.js';
import { eventsOf, rllm, start } from './rllm.js';

test('in a pipe a run is told in plain lines: what runs, how it goes, how it ended', async () => {
  const folder = guessProject();
  const { code, stdout, stderr } = await rllm(folder, ['train', '--run-dir', 'run']);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toMatch(/^guessing\/default · rllm-sdk \d+\.\d+\.\d+\n/);
  expect(stdout).toContain('grpo: center=group, scale=std(ddof=0), eps=1e-6');
  expect(stdout).toContain('guess (guess.ts)');
  expect(stdout).toMatch(/\nstep 1\/6 {2}reward 0\.\d+ {2}win +\d+%/);
  expect(stdout).toMatch(/\ncompleted · 6 steps · /);
  expect(stdout).toMatch(/eval --run run\n$/);
  expect(stdout).not.toContain('\u001b');
});

test('the folder of a run has its config with sources, its manifest, its metrics and its checkpoints', async () => {
  const folder = guessProject();
  await rllm(folder, ['train', '--run-dir', 'run', '--set', 'trainer.seed=7']);
  const json = (name: string) => JSON.parse(readFileSync(join(folder, 'run', name), 'utf8'));
  expect(json('config.json')).toMatchObject({
    file: join(folder, 'rllmrc.json'),
    directory: folder,
    config: { trainer: { seed: 7 } },
    sources: { 'trainer.seed': { from: 'flag' }, 'rollout.n': { from: 'file' } },
  });
  const manifest = json('manifest.json');
  expect(manifest).toMatchObject({ seed: 7, command: 'train --run-dir run --set trainer.seed=7' });
  expect(withoutNoOp(manifest.plugins)).toMatchObject([{ name: 'guess', path: join(folder, 'guess.ts') }]);
  const lines = readFileSync(join(folder, 'run/metrics.jsonl'), 'utf8').trim().split('\n');
  expect(lines.map((line) => JSON.parse(line).step)).toEqual(expect.arrayContaining([1, 2, 3, 4, 5, 6]));
  expect(readdirSync(join(folder, 'run/checkpoints'))).toContain('step-000006');
});

test('--json is NDJSON on stdout from start to end, and text for a person is on stderr', async () => {
  const outcome = await rllm(guessProject(), ['train', '--json']);
  const events = eventsOf(outcome);
  expect(events[0]).toMatchObject({ event: 'start', totalSteps: 6 });
  expect(events.filter(({ event }) => event === 'step')).toHaveLength(6);
  expect(events.at(-1)).toMatchObject({ event: 'end', status: 'completed', summary: { steps: 6 } });
  expect(outcome.stderr).toContain('completed · 6 steps');
});

test('what an agent prints does not get into the JSON', async () => {
  const plugin = `
    import { defineWorkflow } from 'rllm-sdk';
    export const chatty = defineWorkflow('chatty', async (task, { agent }) => {
      const player = agent('player');
      await player.respond('hello');
      console.log('thinking');
      player.reward(1);
    });`;
  const folder = guessProject({ 'chatty.ts': plugin });
  const plugins = ['--set', 'plugins=["./guess.ts","./chatty.ts"]', '--set', 'workflow.use=chatty'];
  const outcome = await rllm(folder, ['train', '--json', ...plugins]);
  expect(eventsOf(outcome).at(-1)).toMatchObject({ event: 'end', status: 'completed' });
  expect(outcome.stderr).toContain('thinking');
});

test('FORCE_COLOR colours a pipe, and NO_COLOR wins over it', async () => {
  const folder = guessProject();
  const dry = ['train', '--dry-run'];
  expect((await rllm(folder, dry, { FORCE_COLOR: '1' })).stdout).toContain('\u001b[36m');
  expect((await rllm(folder, dry, { FORCE_COLOR: '1', NO_COLOR: '1' })).stdout).not.toContain('\u001b');
});

test('--quiet says only how it ended', async () => {
  const { code, stdout } = await rllm(guessProject(), ['train', '--quiet']);
  expect(code).toBe(0);
  expect(stdout).toMatch(/^\ncompleted · 6 steps/);
});

test('trajectories are shown when asked for', async () => {
  const { stdout } = await rllm(guessProject(), ['train', '--set', 'trainer.showTrajectories=1']);
  expect(stdout).toMatch(/task [abcd] · rollout 0 · player · reward [01]/);
  expect(stdout).toMatch(/\n {2}trained {2}(yes|no) <end>/);
});

test('a dry run goes through one rollout, writes nothing, and reports', async () => {
  const folder = guessProject();
  const outcome = await rllm(folder, ['train', '--dry-run', '--json']);
  expect(outcome.code).toBe(0);
  expect(eventsOf(outcome)).toMatchObject([{ event: 'dryRun', totalSteps: 6 }]);
  expect(outcome.stderr).toContain('all is in order');
  expect(existsSync(join(folder, 'runs'))).toBe(false);
});

test('a dry run tells a program of a rollout with a bigint, as an episode is saved', async () => {
  const plugin = `
import { createEpisode, definePlugin, defineWorkflow } from 'rllm-sdk';
const big = defineWorkflow('big', async (task, context) => {
  await context.agent('player').respond('secret');
  const { taskId, rolloutIndex } = context;
  return createEpisode({ taskId, rolloutIndex, task, info: { row: 9007199254740993n } });
});
export default definePlugin({ name: 'big', apiVersion: 1, workflows: [big] });
`;
  const config = { ...CONFIG, plugins: ['./guess.ts', './big.ts'], workflow: { use: 'big' } };
  const folder = guessProject({ 'big.ts': plugin, 'rllmrc.json': config });
  const outcome = await rllm(folder, ['train', '--dry-run', '--json']);
  expect(eventsOf(outcome)).toMatchObject([
    { event: 'dryRun', episode: { info: { row: '9007199254740993' } } },
  ]);
  expect(outcome.code).toBe(0);
});

test.each([
  ['a run folder that is not empty', ['--run-dir', 'node_modules'], 'node_modules is not empty'],
  ['a run folder below a file', ['--run-dir', 'tasks.jsonl/run'], 'tasks.jsonl/run'],
  ['a folder for runs that is a file', ['--set', 'trainer.runsDir=tasks.jsonl'], 'tasks.jsonl/'],
])('a dry run finds %s', async (_name, args, text) => {
  const { code, stdout, stderr } = await rllm(guessProject(), ['train', '--dry-run', ...args]);
  expect(code).toBe(2);
  expect(stderr).toMatch(/^error RUN_DIR_INVALID/);
  expect(stderr).toContain(text);
  expect(stdout).not.toContain('all is in order');
});

// Root may write everywhere.
test.skipIf(process.getuid?.() === 0)('a dry run finds a folder for runs that is read-only', async () => {
  const folder = guessProject();
  mkdirSync(join(folder, 'closed'), { mode: 0o555 });
  const args = ['train', '--dry-run', '--run-dir', 'closed/run'];
  const { code, stderr } = await rllm(folder, args);
  expect(code).toBe(2);
  expect(stderr).toContain(`error RUN_DIR_INVALID  ${join(folder, 'closed/run')} cannot be written: `);
});

test('a reader that goes away does not stop the run', async () => {
  const folder = guessProject();
  const running = start(folder, ['train', '--run-dir', 'run'], { PAUSE_MS: '50' });
  await running.until(/step 1\/6/);
  running.child.stdout.destroy();
  const { code, stderr } = await running.outcome;
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(readdirSync(join(folder, 'run/checkpoints'))).toContain('step-000006');
});
