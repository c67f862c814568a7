import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { guessProject } from './guess-project.js';
import { eventsOf, rllm, start } from './rllm.js';

const LONG = ['--run-dir', 'run', '--set', 'trainer.totalBatches=100000'];

test.each([
  ['SIGHUP', 129],
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)(
  '%s stops after the step at hand, saves, says how to go on, and exits with %d',
  async (signal, exit) => {
    const folder = guessProject();
    const running = start(folder, ['train', ...LONG], { PAUSE_MS: '20' });
    await running.until(/step +2\//);
    running.child.kill(signal);
    const { code, stdout } = await running.outcome;
    expect(code).toBe(exit);
    expect(stdout).toMatch(/interrupted · \d+ steps/);
    const steps = /interrupted · (\d+) steps/.exec(stdout)?.[1];
    expect(readdirSync(join(folder, 'run/checkpoints'))).toContain(`step-${steps?.padStart(6, '0')}`);

    const resume = /resume +node \S+ (train --resume run)\n/.exec(stdout)?.[1]?.split(' ') ?? [];
    const resumed = await rllm(folder, [...resume, '--set', `trainer.totalBatches=${Number(steps) + 1}`]);
    expect(resumed.code).toBe(0);
    expect(resumed.stdout).toContain(`completed · ${Number(steps) + 1} steps`);
  },
);

test('a second Ctrl-C ends the program at once', async () => {
  const folder = guessProject();
  const args = ['train', ...LONG, '--set', 'trainer.valBeforeTrain=false'];
  const running = start(folder, args, { PAUSE_MS: '1000000' });
  await running.until(/run +run\n/);
  running.child.kill('SIGINT');
  await running.until(/Stopping after this step/);
  // Signals closer than 0.3 s are taken for one keystroke.
  await new Promise((done) => setTimeout(done, 500));
  running.child.kill('SIGINT');
  const { code, stdout } = await running.outcome;
  expect(code).toBe(130);
  expect(stdout).not.toContain('interrupted');
});

test('two signals of one keystroke count as one', async () => {
  const folder = guessProject();
  const running = start(folder, ['train', ...LONG], { PAUSE_MS: '100' });
  await running.until(/step +1\//);
  running.child.kill('SIGINT');
  await running.until(/Stopping after this step/);
  running.child.kill('SIGINT');
  const { code, stdout } = await running.outcome;
  expect(code).toBe(130);
  expect(stdout).toMatch(/interrupted · \d+ steps?/);
  expect(existsSync(join(folder, 'run/checkpoints'))).toBe(true);
});

test('a promise that an agent left alone ends the run after the step at hand, with a checkpoint and a code', async () => {
  const folder = guessProject();
  const env = { LATE: 'late failure', PAUSE_MS: '20' };
  const { code, stdout, stderr } = await rllm(folder, ['train', ...LONG], env);
  expect(code).toBe(1);
  expect(stdout).toMatch(/interrupted · [23] steps/);
  expect(stdout).toMatch(/resume +node \S+ train --resume run\n/);
  expect(stderr).toContain('error UNHANDLED_ERROR  Thrown where nobody waits for it: late failure');
  expect(stderr).not.toContain('a bug in rllm-sdk');
  expect(readdirSync(join(folder, 'run'))).not.toContain('run.lock');
  expect(readdirSync(join(folder, 'run/checkpoints'))).not.toEqual([]);
});

test('a promise that an agent left alone ends a validation with a code', async () => {
  const folder = guessProject({
    'guess.ts': `
import { defineWorkflow } from 'rllm-sdk';
import { inMemoryBackend } from 'rllm-sdk/testing';
const guess = defineWorkflow('guess', async () => {
  setTimeout(() => { throw new Error('late failure'); });
  await new Promise((done) => setTimeout(done, 1000));
});
export default { name: 'guess', apiVersion: 1, workflows: [guess], backends: [inMemoryBackend({ policy: () => 'yes' })] };
`,
  });
  const outcome = await rllm(folder, ['eval', '--json']);
  expect(outcome.code).toBe(1);
  expect(eventsOf(outcome).at(-1)).toMatchObject({ event: 'error', code: 'UNHANDLED_ERROR' });
});
