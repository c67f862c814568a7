import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { README, snippetsOf } from '../docs/snippets.js';
import { CONFIG, guessProject } from './guess-project.js';
import { project } from './project.js';
import { rllm, start } from './rllm.js';

/** Lines of `metrics.jsonl` but for times. */
function metrics(folder: string, run: string): readonly object[] {
  const lines = readFileSync(join(folder, run, 'metrics.jsonl'), 'utf8')
    .trim()
    .split('\n');
  return lines.map((line) => {
    const { time: _time, metrics, ...rest } = JSON.parse(line) as { time: string; metrics: object };
    const timeless = Object.entries(metrics).filter(([name]) => !name.includes('time/'));
    return { ...rest, metrics: Object.fromEntries(timeless) };
  });
}

test('a run killed in the middle and resumed has the same numbers as one that was not', async () => {
  const folder = guessProject();
  await rllm(folder, ['train', '--run-dir', 'whole']);
  const running = start(folder, ['train', '--run-dir', 'killed'], { PAUSE_MS: '50' });
  await running.until(/step 3\/6/);
  running.child.kill('SIGKILL');
  expect((await running.outcome).signal).toBe('SIGKILL');
  const { code } = await rllm(folder, ['train', '--resume', 'killed']);
  expect(code).toBe(0);
  expect(metrics(folder, 'killed')).toEqual(metrics(folder, 'whole'));
});

test('so has a run of the local backend', async () => {
  const files = snippetsOf(README).flatMap(({ name, text }) => (name === undefined ? [] : [[name, text]]));
  const folder = project(Object.fromEntries(files));
  const settings = ['trainer.totalBatches=60', 'trainer.saveFreq=4', 'trainer.stopWhen=null'];
  const args = settings.flatMap((value) => ['--set', value]);
  await rllm(folder, ['train', '--run-dir', 'whole', ...args]);
  const running = start(folder, ['train', '--run-dir', 'killed', ...args]);
  await running.until(/step +3\/60/);
  running.child.kill('SIGKILL');
  expect((await running.outcome).signal).toBe('SIGKILL');
  expect((await rllm(folder, ['train', '--resume', 'killed'])).code).toBe(0);
  expect(metrics(folder, 'killed')).toHaveLength(metrics(folder, 'whole').length);
  expect(metrics(folder, 'killed')).toEqual(metrics(folder, 'whole'));
});

test('a run of a project that was moved goes on, and can be evaluated', async () => {
  const folder = guessProject();
  await rllm(folder, ['train', '--run-dir', 'out/run', '--set', 'trainer.totalBatches=2']);
  const moved = `${folder}-moved`;
  onTestFinished(() => rmSync(moved, { recursive: true, force: true }));
  renameSync(folder, moved);
  const args = ['train', '--resume', 'out/run', '--set', 'trainer.totalBatches=3'];
  const { code, stdout, stderr } = await rllm(moved, args);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toContain('completed · 3 steps');
  expect((await rllm(moved, ['eval', '--run', 'out/run'])).code).toBe(0);
});

test('a resumed run keeps its own configuration, whatever the config file and the environment have become', async () => {
  const folder = guessProject();
  const short = ['--set', 'trainer.totalBatches=2', '--set', 'trainer.seed=5'];
  await rllm(folder, ['train', '--run-dir', 'run', ...short]);
  const changed = { ...CONFIG, rollout: { n: 8 }, algorithm: { estimator: 'rloo' } };
  writeFileSync(join(folder, 'rllmrc.json'), JSON.stringify(changed));
  const args = ['train', '--resume', 'run', '--set', 'trainer.totalBatches=3'];
  const { code, stdout } = await rllm(folder, args, {
    RLLM_TRAINER__SEED: '6',
    RLLM_TRAINER__SAVE_FREQ: '7',
  });
  expect(code).toBe(0);
  expect(stdout).toContain('grpo: center=group');
  expect(stdout).toMatch(/completed · 3 steps/);
  const config = JSON.parse(readFileSync(join(folder, 'run/config.json'), 'utf8'));
  expect(config.config.trainer).toMatchObject({ seed: 5, saveFreq: 2, totalBatches: 3 });
  expect(config.sources['trainer.seed']).toMatchObject({ from: 'flag' });
  expect(config.sources['rollout.n']).toMatchObject({ from: 'file' });
});

test('a change that would alter the numbers of a resumed run is refused', async () => {
  const folder = guessProject();
  await rllm(folder, ['train', '--run-dir', 'run']);
  const { code, stderr } = await rllm(folder, ['train', '--resume', 'run', '--set', 'rollout.n=8']);
  expect(code).toBe(2);
  expect(stderr).toContain('CHECKPOINT_INVALID');
  expect(stderr).toContain('rollout.n');
});

test('a folder that is no run cannot be resumed', async () => {
  const folder = guessProject();
  const { code, stderr } = await rllm(folder, ['train', '--resume', 'node_modules']);
  expect(code).toBe(2);
  expect(stderr).toContain('RUN_DIR_INVALID');
});

test('a secret is not written to the run, and a resumed run has it again', async () => {
  const secret = 'sk-very-secret';
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is what a config file refers to a variable by.
  const workflow = { use: 'guess', options: { apiKey: '${KEY}' } };
  const folder = guessProject({ 'rllmrc.json': { ...CONFIG, workflow } });
  await rllm(folder, ['train', '--run-dir', 'run', '--set', 'trainer.totalBatches=2'], { KEY: secret });
  expect(readFileSync(join(folder, 'run/config.json'), 'utf8')).not.toContain(secret);
  const longer = ['--set', 'trainer.totalBatches=3'];
  const without = await rllm(folder, ['train', '--resume', 'run', ...longer]);
  expect(without.code).toBe(2);
  expect(without.stderr).toContain('KEY');
  const { code } = await rllm(folder, ['train', '--resume', 'run', ...longer], { KEY: secret });
  expect(code).toBe(0);
});

test('nor is one that a flag sets', async () => {
  const secret = 'sk-very-secret';
  const folder = guessProject();
  const flags = ['--set', `workflow.options.apiKey=${secret}`, '--set=trainer.totalBatches=1'];
  expect(await rllm(folder, ['train', '--run-dir', 'run', ...flags])).toMatchObject({ code: 0 });
  const files = ['config.json', 'manifest.json'].map((file) =>
    readFileSync(join(folder, 'run', file), 'utf8'),
  );
  expect(files.join()).not.toContain(secret);
  expect(JSON.parse(files[1] ?? '')).toMatchObject({
    command: 'train --run-dir run --set workflow.options.apiKey=[hidden] --set=trainer.totalBatches=1',
  });
});
