import { expect, test } from 'vitest';
import {
  type AdvantageTable,
  compareAdvantages,
  inputOfGroups,
  inputOfTable,
  parseColumn,
  prepareColumns,
  type RewardTable,
  replayColumns,
  sizeOfGroups,
  type TrainedStep,
} from '../../src/compare/index.js';
import type { AlgorithmConfig } from '../../src/config/types.js';
import { RllmError } from '../../src/errors.js';
import { algorithm, builtInRegistry, group } from '../advantage/support.js';
import { Counting } from './counting.js';

const registry = builtInRegistry();

async function compare(
  table: RewardTable,
  names: readonly string[],
  overrides: Partial<AlgorithmConfig> = {},
  estimators = registry,
): Promise<AdvantageTable> {
  const { groups, provides } = inputOfTable(table);
  const { ready, leftOut } = await prepareColumns(names.map(parseColumn), {
    algorithm: algorithm(overrides),
    registry: estimators,
    provides,
    size: sizeOfGroups(groups),
  });
  const compared = compareAdvantages(groups, ready, estimators);
  return { ...compared, leftOut: [...leftOut, ...compared.leftOut] };
}

const means = ({ columns }: AdvantageTable): (number | null)[][][] =>
  columns.map(({ advantages }) => advantages.map((row) => row.map((one) => one?.mean ?? null)));

test('each estimator makes its own of the same rewards', async () => {
  const table = await compare({ rewards: [[1, 0, 0, 0], [1]] }, ['reinforce', 'rloo', 'grpo']);
  const [reinforce, rloo, grpo] = means(table);
  expect(reinforce).toEqual([[1, 0, 0, 0], [1]]);
  expect(rloo?.[0]?.map((a) => a?.toFixed(4))).toEqual(['1.0000', '-0.3333', '-0.3333', '-0.3333']);
  expect(grpo?.[0]?.map((a) => a?.toFixed(4))).toEqual(['1.7320', '-0.5773', '-0.5773', '-0.5773']);
  expect(table.groups).toEqual([
    { groupId: '0', role: 'agent', rewards: [1, 0, 0, 0], lengths: [1, 1, 1, 1] },
    { groupId: '1', role: 'agent', rewards: [1], lengths: [1] },
  ]);
});

test('all groups are one batch to an estimator that looks across groups', async () => {
  const [column] = means(
    await compare(
      {
        rewards: [
          [1, 0],
          [1, 1, 1, 0],
        ],
      },
      ['reinforce_plus_plus_baseline'],
    ),
  );
  expect(column?.flat().map((a) => a?.toFixed(2))).toEqual([
    '1.10',
    '-1.10',
    '0.55',
    '0.55',
    '0.55',
    '-1.64',
  ]);
});

test('the policies of the algorithm hold, as in training', async () => {
  const overrides: Partial<AlgorithmConfig> = {
    missingReward: 'exclude',
    loneTrajectory: 'zero',
    usePrecomputedAdvantage: true,
    estimatorMap: { agent: 'reinforce' },
  };
  const rewards = [[1, null, 0], [0.5]];
  expect(means(await compare({ rewards }, ['rloo'], overrides))).toEqual([[[1, null, -1], [0]]]);
  await expect(compare({ rewards }, ['rloo'])).rejects.toMatchObject({ code: 'REWARD_MISSING' });
});

test('an estimator that the input cannot feed is left out with what it needs', async () => {
  const own = builtInRegistry();
  own.addFunction('lengthy', ({ rewards }) => ({ advantages: [...rewards] }), 'test', {
    requires: ['lengths', 'values'],
  });
  own.addFunction('picky', ({ rewards }) => ({ advantages: [...rewards] }), 'test', {
    check: ({ rollouts }) => (rollouts < 2 ? ['it needs two rollouts'] : []),
  });
  own.addFunction('broken', () => ({ advantages: [] }), 'test');
  const names = ['lengthy', 'picky', 'broken', 'rloo'];
  const table = await compare({ rewards: [[1], [0]], lengths: [[3], [1]] }, names, {}, own);
  expect(table.columns.map(({ label }) => label)).toEqual(['rloo']);
  expect(table.leftOut).toMatchObject([
    { label: 'lengthy', reasons: ["needs a critic's values"] },
    { label: 'picky', reasons: ['it needs two rollouts'] },
    { label: 'broken', reasons: [expect.stringContaining('"broken"')] },
  ]);
});

test('a lone group beside others is treated as in training, and refuses no estimator', async () => {
  const own = builtInRegistry();
  own.addFunction('picky', ({ rewards }) => ({ advantages: [...rewards] }), 'test', {
    check: ({ rollouts }) => (rollouts < 2 ? ['it needs two rollouts'] : []),
  });
  expect(means(await compare({ rewards: [[1, 0], [1]] }, ['picky'], {}, own))).toEqual([[[1, 0], [1]]]);
});

test('an estimator that finds no sense in the input is left out, and ends no comparison', async () => {
  const own = builtInRegistry();
  for (const code of ['ESTIMATOR_INPUT', 'REWARD_NOT_FINITE'] as const) {
    const estimate = (): never => {
      throw new RllmError(code, 'Step 1 is odd.');
    };
    own.addFunction(code, estimate, 'test');
  }
  const names = ['ESTIMATOR_INPUT', 'REWARD_NOT_FINITE', 'rloo'];
  const table = await compare({ rewards: [[1, 0]] }, names, {}, own);
  expect(table.columns.map(({ label }) => label)).toEqual(['rloo']);
  expect(table.leftOut).toMatchObject([
    { label: 'ESTIMATOR_INPUT', reasons: [expect.stringContaining('Step 1 is odd.')] },
    { label: 'REWARD_NOT_FINITE', reasons: [expect.stringContaining('Step 1 is odd.')] },
  ]);
});

test('an estimator with state starts anew for each column and is left as it was', async () => {
  const own = builtInRegistry();
  own.override('counting', Counting, 'test');
  const table = await compare({ rewards: [[1, 0]] }, ['counting', 'counting'], {}, own);
  expect(means(table)).toEqual([[[1, 1]], [[1, 1]]]);
  expect(own.stateDict()).toEqual({ counting: { seen: 0 } });
});

test('after steps of a run, an estimator starts from what these have left it, each column by itself', async () => {
  const own = builtInRegistry();
  own.override('counting', Counting, 'test');
  own.addFunction('plain', ({ rewards }) => ({ advantages: [...rewards] }), 'test');
  const groups = [group([1, 0])];
  const { ready } = await prepareColumns(['counting', 'counting', 'plain'].map(parseColumn), {
    ...{ algorithm: algorithm(), registry: own, provides: new Set() },
    size: { rollouts: 2, tasksPerBatch: 1 },
  });
  async function* steps(): AsyncGenerator<TrainedStep> {
    for (const step of [1, 2, 3]) {
      yield { step, episodes: [], rollouts: [], groups: step === 2 ? [] : [group([1, 0])] };
    }
  }
  const replayed = await replayColumns(steps(), ready, own);
  const table = compareAdvantages(groups, replayed.ready, own);
  // The step without groups called nobody.
  expect(means(table)).toEqual([[[3, 3]], [[3, 3]], [[1, 0]]]);
  expect(own.stateDict()).toEqual({ counting: { seen: 0 } });
});

test('an estimator that fails on a step before is left out with that step', async () => {
  const own = builtInRegistry();
  class Failing extends Counting {
    override estimate(): never {
      throw new Error('no such table');
    }
  }
  own.override('failing', Failing, 'test');
  const { ready } = await prepareColumns([parseColumn('failing')], {
    ...{ algorithm: algorithm(), registry: own, provides: new Set() },
    size: { rollouts: 2, tasksPerBatch: 1 },
  });
  async function* steps(): AsyncGenerator<TrainedStep> {
    yield { step: 4, episodes: [], rollouts: [], groups: [group([1, 0])] };
  }
  expect(await replayColumns(steps(), ready, own)).toMatchObject({
    ready: [],
    leftOut: [{ label: 'failing', reasons: [expect.stringMatching(/^in step 4: .*no such table/)] }],
  });
});

test('advantages per token are kept, with their mean', async () => {
  const own = builtInRegistry();
  own.addFunction(
    'rising',
    ({ groups }) => ({
      advantages: groups.map(({ trajectories }) =>
        trajectories.map(({ steps }) => steps.flatMap(({ responseIds }) => responseIds.map((_, t) => t))),
      ),
    }),
    'test',
    { perToken: true },
  );
  const { columns } = await compare({ rewards: [[1, 0]], lengths: [[3, 2]] }, ['rising'], {}, own);
  expect(columns[0]?.advantages).toEqual([
    [
      { mean: 1, tokens: [0, 1, 2] },
      { mean: 0.5, tokens: [0, 1] },
    ],
  ]);
});

test('groups of a run provide what all their steps have', () => {
  const plain = group([1, 0], { tokens: [2, 2] });
  expect([...inputOfGroups([plain]).provides]).toEqual(['lengths']);
  const trajectories = plain.trajectories.map((trajectory) => ({
    ...trajectory,
    rewards: { correct: 1 },
    steps: trajectory.steps.map((step) => ({
      ...step,
      logprobs: [-1, -2],
      values: [0, 0],
      observation: 's',
    })),
  }));
  const rich = { ...plain, trajectories, baselines: [plain.trajectories[0] ?? trajectories[0]] };
  expect([...inputOfGroups([rich as typeof plain]).provides].sort()).toEqual([
    'greedyBaseline',
    'lengths',
    'logprobs',
    'rewardComponents',
    'stepAnchors',
    'values',
  ]);
  expect([...inputOfGroups([rich as typeof plain, plain]).provides]).toEqual(['lengths']);
});

test('groups of a run provide what an estimator would find in them, and no less', () => {
  const [taught, silent] = [group([1, 0]), group([1, 0])];
  for (const { steps } of taught.trajectories)
    for (const step of steps) step.teacherLogprobs = step.responseIds.map(() => -1);
  expect([...inputOfGroups([taught, silent]).provides]).toEqual(['lengths', 'teacherLogprobs']);
  const unnamed = silent.trajectories.map((trajectory) => ({ ...trajectory, rewards: {} }));
  expect([...inputOfGroups([{ ...silent, trajectories: unnamed }]).provides]).toEqual(['lengths']);
});

test('comparing leaves no advantage on the steps', async () => {
  const one = group([1, 0], { advantage: 5 });
  const { ready } = await prepareColumns([parseColumn('grpo')], {
    ...{ algorithm: algorithm(), registry, provides: new Set() },
    size: { rollouts: 2, tasksPerBatch: 1 },
  });
  compareAdvantages([one], ready, registry);
  expect(one.trajectories.flatMap(({ steps }) => steps.map(({ advantage }) => advantage))).toEqual([
    undefined,
    undefined,
  ]);
});
