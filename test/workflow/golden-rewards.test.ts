import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { createEpisode, createStep, createTrajectory, type Episode } from '../../src/types/index.js';
import { defineWorkflow, postprocessEpisode } from '../../src/workflow/index.js';
import { runOnce } from './run-workflow.js';

interface Case {
  readonly gamma: number;
  readonly rewardBonusCoeff: number;
  readonly stepRewards: readonly (readonly number[])[];
  readonly names: readonly string[];
  readonly expected: {
    readonly stepRewards: readonly (readonly number[])[];
    readonly trajectoryRewards: readonly number[];
    readonly isCorrect: boolean;
    readonly metrics: Readonly<Record<string, number>>;
  };
}

const golden = new URL('../golden/rewards.json', import.meta.url);
const { cases } = JSON.parse(readFileSync(golden, 'utf8')) as { readonly cases: readonly Case[] };

/** 1e-9 relative, 1e-12 absolute, and 8 ulp of the largest reward of the case. */
function expectClose(actual: readonly number[], expected: readonly number[], largest: number): void {
  expect(actual).toHaveLength(expected.length);
  expected.forEach((value, i) => {
    const tolerance = 1e-12 + 1e-9 * Math.abs(value) + 8 * Number.EPSILON * largest;
    expect(Math.abs((actual[i] ?? Number.NaN) - value)).toBeLessThanOrEqual(tolerance);
  });
}

function expectCase({ expected, stepRewards }: Case, episode: Episode): void {
  const largest = Math.max(...stepRewards.flat().map(Math.abs));
  const { trajectories } = episode;
  trajectories.forEach(({ steps }, i) => {
    expectClose(
      steps.map(({ reward }) => reward),
      expected.stepRewards[i] ?? [],
      largest,
    );
  });
  expectClose(
    trajectories.map(({ reward }) => reward ?? Number.NaN),
    expected.trajectoryRewards,
    largest,
  );
  expect(episode.isCorrect).toBe(expected.isCorrect);
  expect(Object.keys(episode.metrics).sort()).toEqual(Object.keys(expected.metrics).sort());
  for (const [name, value] of Object.entries(expected.metrics)) {
    expectClose([episode.metrics[name] ?? Number.NaN], [value], largest);
  }
}

describe.each(cases.map((one, i) => ({ i, one })))('golden rewards, case $i', ({ one }) => {
  test('postprocessEpisode', () => {
    const trajectories = one.stepRewards.map((rewards, i) =>
      createTrajectory({
        name: one.names[i] ?? '',
        steps: rewards.map((reward) => createStep({ reward, modelResponse: 'word' })),
      }),
    );
    const episode = createEpisode({ taskId: 't', rolloutIndex: 0, trajectories });
    expectCase(one, postprocessEpisode(episode, one));
  });

  test('a workflow that rewards the steps of its agents', async () => {
    const workflow = defineWorkflow('golden', async (_, { agent }) => {
      for (const [i, rewards] of one.stepRewards.entries()) {
        const role = agent(one.names[i] ?? '');
        for (const reward of rewards) {
          await role.respond('word');
          role.reward(reward);
        }
      }
    });
    const { gamma, rewardBonusCoeff } = one;
    expectCase(one, await runOnce(workflow, { config: { gamma, rewardBonusCoeff } }));
  });
});

test('there are 24 golden cases', () => {
  expect(cases).toHaveLength(24);
});
