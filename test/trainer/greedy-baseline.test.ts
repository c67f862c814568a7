import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import type { EstimatorRegistry } from '../../src/advantage/index.js';
import type { RllmConfigInput } from '../../src/config/index.js';
import type { ScriptedPolicy } from '../../src/testing/index.js';
import type { Episode, TrajectoryGroup } from '../../src/types/index.js';
import type { WorkflowFunction } from '../../src/workflow/index.js';
import { builtInRegistry, collect, newRun, tempFolders, tiny } from './tiny-run.js';

const folders = tempFolders();
afterAll(() => folders.clear());

/** Registers `less_greedy`: the reward less that of the greedy rollout; it keeps the groups it saw. */
function lessGreedy(): { readonly registry: EstimatorRegistry; readonly seen: TrajectoryGroup[] } {
  const seen: TrajectoryGroup[] = [];
  const registry = builtInRegistry();
  registry.addFunction(
    'less_greedy',
    ({ rewards, groups }) => {
      seen.push(...groups);
      return {
        advantages: rewards.map((own, g) =>
          own.map((reward) => reward - (groups[g]?.baselines?.[0]?.reward ?? 0)),
        ),
      };
    },
    'test',
    { requires: ['greedyBaseline'] },
  );
  return { registry, seen };
}

/** Greedily always `no`, else `yes` or `no` at random. */
const policy: ScriptedPolicy = ({ sampling, random }) =>
  sampling.temperature === 0 || random.next() < 0.5 ? 'no' : 'yes';

const CONFIG: RllmConfigInput = {
  algorithm: { estimator: 'less_greedy' },
  trainer: { totalBatches: 2, testFreq: 0, valBeforeTrain: false },
  tracking: { logEpisodes: true },
};

/** Half a point for `no`, one for `yes`; it asks for a temperature of its own. */
const workflow: WorkflowFunction = async (_task, context) => {
  const agent = context.agent('agent');
  const { text } = await agent.respond('question', { temperature: 0.7 });
  agent.reward(text === 'yes' ? 1 : 0.5);
  context.metric('greedy', Number(context.rolloutIndex === 4));
};

describe('where an estimator compares with a greedy rollout', () => {
  test('each task has one more, which stands in no group and in no number but its own', async () => {
    const { registry, seen } = lessGreedy();
    const { trainer, backend } = tiny({ config: CONFIG, policy, workflow, estimators: registry });
    const events = await collect(trainer);
    expect(seen).toHaveLength(2 * 2);
    for (const { trajectories, baselines, taskId } of seen) {
      expect(trajectories).toHaveLength(4);
      expect(baselines).toHaveLength(1);
      expect(baselines?.[0]?.reward).toBe(0.5);
      expect(baselines?.[0]?.uid).toContain(`${taskId}:4/`);
    }
    for (const { groups } of backend.updates) {
      for (const { trajectories } of groups) {
        expect(trajectories).toHaveLength(4);
        for (const { replies, advantages } of trajectories) {
          expect(advantages).toEqual([replies[0] === 'yes' ? 0.5 : 0]);
        }
      }
    }
    for (const event of events) {
      if (event.event !== 'step') continue;
      expect(event.metrics).toMatchObject({
        'ledger/started': 8,
        'ledger/trained': 8,
        'ledger/baselines': 2,
        'grouping/num_trajs_before_filter': 8,
        'batch/greedy': 0,
      });
    }
  });

  test('its episodes are written with the others, and marked', async () => {
    const directory = join(await folders.make(), 'run');
    const run = await newRun(directory, CONFIG);
    await tiny({ config: CONFIG, policy, workflow, run, estimators: lessGreedy().registry }).trainer.fit();
    const folder = join(directory, 'episodes', 'train');
    const files = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.json'));
    const episodes = await Promise.all(
      files.map(async (name) => JSON.parse(await readFile(join(folder, name), 'utf8')) as Episode),
    );
    const greedy = episodes.filter(({ info }) => info['greedy'] === true);
    expect(episodes).toHaveLength(2 * 2 * 5);
    expect(greedy.map(({ rolloutIndex }) => rolloutIndex)).toEqual([4, 4, 4, 4]);
  });

  test('a task whose greedy rollout failed is left out or stops the run, by missingReward', async () => {
    const failing: WorkflowFunction = async (task, context) => {
      if (context.rolloutIndex === 4 && task['id'] === 't0') throw new Error('no luck');
      await workflow(task, context);
    };
    const config = (missingReward: 'error' | 'exclude'): RllmConfigInput => ({
      algorithm: { estimator: 'less_greedy', missingReward },
      workflow: { raiseOnError: false, retryLimit: 1 },
      data: { trainBatchSize: 8 },
      trainer: { totalBatches: 1, testFreq: 0, valBeforeTrain: false },
    });
    const run = (missingReward: 'error' | 'exclude') =>
      tiny({
        config: config(missingReward),
        policy,
        workflow: failing,
        estimators: lessGreedy().registry,
      }).trainer.fit();
    expect((await run('exclude')).lastStep).toMatchObject({
      'ledger/started': 32,
      'ledger/trained': 28,
      'ledger/dropped/no_baseline': 4,
    });
    await expect(run('error')).rejects.toMatchObject({
      code: 'ESTIMATOR_INPUT',
      message: expect.stringContaining('task "t0"'),
    });
  });

  test('roles whose estimator needs none train without it', async () => {
    const { registry } = lessGreedy();
    const config: RllmConfigInput = {
      ...CONFIG,
      algorithm: { estimator: 'rloo', estimatorMap: { nobody: 'less_greedy' } },
    };
    const { trainer, backend } = tiny({ config, policy, workflow, estimators: registry });
    await trainer.fit();
    expect(backend.updates).toHaveLength(2);
  });

  test('no greedy rollout is made where no estimator needs one', async () => {
    const { trainer } = tiny({ config: { ...CONFIG, algorithm: { estimator: 'rloo' } }, policy, workflow });
    expect((await trainer.fit()).lastStep).not.toHaveProperty('ledger/baselines');
  });
});
