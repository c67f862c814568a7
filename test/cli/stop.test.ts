import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { guessProject } from './guess-project.js';
import { rllm, start } from './rllm.js';

const LONG = ['--run-dir', 'run', '--set', 'trainer.totalBatches=100000'];

test.each([
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
