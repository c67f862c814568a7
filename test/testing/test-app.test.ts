import { describe, expect, test } from 'vitest';
import { AdvEstimator } from '../../src/advantage/index.js';
import { definePlugin } from '../../src/plugin-host/index.js';
import { testApp } from '../../src/testing/index.js';

const half = AdvEstimator('half')(({ rewards }) => ({
  advantages: rewards.map((group) => group.map((reward) => reward - 0.5)),
}));
const plugin = definePlugin({ name: 'halves', apiVersion: 1, estimators: [half] });

describe('a test app', () => {
  test('trains two steps with the estimator of a plugin, and shows what it gave', async () => {
    await using app = await testApp({ algorithm: { estimator: 'half' } }, { plugins: [plugin] });
    const { advantages, steps, updates, summary } = await app.train();
    expect(summary).toMatchObject({ status: 'completed', steps: 2, runDirectory: '' });
    expect(steps).toHaveLength(2);
    expect(updates).toEqual(app.backend.updates);
    expect(advantages.map((groups) => groups.map((group) => group.length))).toEqual([
      [4, 4],
      [4, 4],
    ]);
    for (const value of advantages.flat(4)) expect(Math.abs(Number(value))).toBe(0.5);
  });

  test('of one seed always does the same, of another something else', async () => {
    const run = async (seed: number): Promise<unknown> => {
      await using app = await testApp({ trainer: { totalBatches: 4 } }, { seed });
      return (await app.train()).updates;
    };
    expect(await run(1)).toEqual(await run(1));
    expect(await run(1)).not.toEqual(await run(2));
  });

  test('takes a policy, a workflow and tasks of the test', async () => {
    await using app = await testApp(
      { algorithm: { estimator: 'reinforce' }, rollout: { n: 2 } },
      {
        policy: ({ messages }) => `not ${messages.at(-1)?.content}`,
        workflow: async (task, context) => {
          const agent = context.agent('echo');
          const { text } = await agent.respond(String(task['word']));
          agent.reward(text.length);
        },
        trainData: [{ word: 'a' }, { word: 'bcd' }],
      },
    );
    const { advantages } = await app.train();
    expect(advantages[0]?.flat(2).sort()).toEqual([5, 5, 7, 7]);
  });

  test('is what the config says where it says something', async () => {
    await using app = await testApp({ trainer: { totalBatches: 1 }, rollout: { n: 3 } });
    const { advantages, summary } = await app.train();
    expect(advantages.map((groups) => groups.map((group) => group.length))).toEqual([[3, 3]]);
    // Nothing is written.
    expect(summary.runDirectory).toBe('');
  });
});
