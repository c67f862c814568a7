import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { loadConfig } from '../../src/config/index.js';
import { createApp } from '../../src/container/index.js';
import type { TrainerEvent } from '../../src/trainer/index.js';

type Step = Extract<TrainerEvent, { event: 'step' }>;

/** Trains an example as its config says, for a few steps of a few rollouts; writes nothing. */
async function train(example: string, more: readonly string[] = []): Promise<readonly Step[]> {
  const cwd = fileURLToPath(new URL(`../../examples/${example}`, import.meta.url));
  const set = ['trainer.totalBatches=2', 'rollout.n=8', ...more];
  const config = await loadConfig({ cwd, file: 'rllmrc.json', set });
  await using app = await createApp(config, { run: null, useDeclared: false });
  const steps: Step[] = [];
  for await (const event of (await app.trainer()).events()) if (event.event === 'step') steps.push(event);
  return steps;
}

describe('an example trains as its config says', { timeout: 120_000 }, () => {
  test('step-groups: moves in one cell are compared across rollouts', async () => {
    const steps = await train('step-groups');
    expect(steps).toHaveLength(2);
    for (const { metrics } of steps) {
      expect(metrics['step_groups/walker/shared_steps']).toBeGreaterThan(0.9);
      // Eight goals, and at most the nine cells of the grid but the goal, for each.
      expect(metrics['step_groups/walker/clusters']).toBeLessThanOrEqual(64);
      expect(metrics['optim/grad_norm']).toBeGreaterThan(0);
    }
  });

  test('step-groups, with each step as a trajectory of its own', async () => {
    const steps = await train('step-groups', [
      'algorithm.estimator=grpo',
      'transform.groupingHook=by_step',
      'transform.groupingOptions={"by_step":{"gamma":0.9}}',
    ]);
    for (const { metrics } of steps) {
      // Eight goals, and at most six moves to each.
      expect(metrics['grouping/num_groups']).toBeLessThanOrEqual(48);
      expect(metrics['grouping/num_trajs_before_filter']).toBe(64);
      expect(metrics['grouping/num_trajs_after_filter']).toBeGreaterThan(64);
      expect(metrics['ledger/started']).toBe(64);
    }
  });

  test('components: each component of the reward is reported, and the total', async () => {
    for (const { metrics } of await train('components')) {
      const [correct, format, total] = ['/correct/mean', '/format/mean', '/mean'].map(
        (name) => metrics[`reward/speaker${name}`],
      );
      expect((correct ?? Number.NaN) + (format ?? Number.NaN)).toBeCloseTo(total ?? Number.NaN, 12);
    }
  });

  test('per-token: advantages are whitened over tokens', async () => {
    for (const { metrics } of await train('per-token')) {
      expect(metrics['advantage/guesser/mean']).toBeCloseTo(0, 9);
      expect(metrics['advantage/guesser/std']).toBeCloseTo(1, 1);
    }
  });
});
