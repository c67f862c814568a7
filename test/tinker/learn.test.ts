import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, inject, test } from 'vitest';
import { type Metrics, metricsOf, train } from './train.js';

/** Trains as a user does. @returns the metrics of the steps. */
async function learn(workflow: string, ...settings: readonly string[]): Promise<readonly Metrics[]> {
  const run = join(await mkdtemp(join(tmpdir(), 'learn-')), 'run');
  const set = [`workflow.use=${workflow}`, ...settings].flatMap((setting) => ['--set', setting]);
  await train(inject('url'), ['--config', 'range.rllmrc.json', '--run-dir', run, ...set]);
  return metricsOf(run);
}

const rewards = (steps: readonly Metrics[], role: string): readonly number[] =>
  steps.map((metrics) => metrics[`reward/${role}/mean`] ?? Number.NaN);

const TASKS = [
  { workflow: 'range-turns', structure: 'guess-number', roles: ['guesser'] },
  { workflow: 'range-judge', structure: 'solver-judge', roles: ['solver', 'judge'] },
];

describe('a task of the structure of', () => {
  test.each(TASKS)('$structure is learned on a real engine in 10 steps', async ({ workflow, roles }) => {
    const last = `reward/${roles.at(-1)}/mean`;
    const steps = await learn(workflow, `trainer.stopWhen.metric=${last}`, 'trainer.stopWhen.atLeast=0.81');
    expect(steps.length).toBeLessThanOrEqual(10);
    for (const role of roles) {
      const means = rewards(steps, role);
      expect(means[0]).toBeLessThan(0.3);
      expect(means.at(-1)).toBeGreaterThan(0.8);
    }
    // Samples come from the very weights that are trained, and every token stands where it was sampled.
    for (const metrics of steps) expect(metrics['train/kl_sample_train_v1']).toBeLessThan(1e-5);
  });

  test.each(TASKS)(
    '$structure is learned on the local backend, one line apart',
    async ({ workflow, roles }) => {
      const steps = await learn(workflow, 'backend.name=local', 'trainer.totalBatches=40');
      for (const role of roles) {
        const means = rewards(steps, role);
        expect(means[0]).toBeLessThan(0.7);
        expect(means.at(-1)).toBeGreaterThan(0.9);
      }
    },
  );
});
