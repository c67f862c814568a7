import { type App, createApp, RllmError } from 'rllm-sdk';
import { expect, test } from 'vitest';
import estimators from '../src/index.js';

const NAMES = [
  'dr_grpo',
  'grpo_scaled',
  'opo',
  'gpg',
  'maxrl',
  'grpo_passk',
  'gdpo',
  'entropic',
  'entropic_adaptive_beta',
  'rloo_normalized',
  'rae',
  'hierarchical_grpo',
  'mean_std_level',
];

function app(config: Parameters<typeof createApp>[0]): Promise<App> {
  return createApp(config, { plugins: [estimators], useDeclared: false });
}

async function refusal(config: Parameters<typeof createApp>[0]): Promise<string> {
  try {
    await using _started = await app(config);
  } catch (error) {
    if (error instanceof RllmError) return error.message;
    throw error;
  }
  return 'it started';
}

test('it brings thirteen estimators, each with its formula, its paper and this plugin as owner', async () => {
  await using started = await app({});
  const own = started.estimators.list().filter(({ owner }) => owner === 'rllm-plugin-estimators');
  expect(own.map(({ name }) => name).sort()).toEqual([...NAMES].sort());
  for (const { name, summary, paper } of own) {
    expect(summary, name).not.toBe('');
    expect(paper, name).toMatch(/^https:\/\//);
  }
});

test('those that take statistics of the batch, or keep an order, say so', async () => {
  await using started = await app({});
  const batch = started.estimators
    .list()
    .filter(({ scope, owner }) => scope === 'batch' && owner === 'rllm-plugin-estimators');
  expect(batch.map(({ name }) => name).sort()).toEqual([
    'gdpo',
    'gpg',
    'grpo_scaled',
    'mean_std_level',
    'rae',
    'rloo_normalized',
  ]);
});

test('opo needs lengths, and gdpo named components', async () => {
  await using started = await app({});
  expect(started.estimators.describe('opo').requires).toEqual(['lengths']);
  expect(started.estimators.describe('gdpo').requires).toEqual(['rewardComponents']);
});

test('options are shown with what they mean', async () => {
  await using started = await app({});
  const shown = (name: string): unknown => started.estimators.describe(name).options;
  expect(shown('rae')).toMatchObject({
    properties: { decay: { default: 0.95, description: expect.stringContaining('baseline') } },
  });
  const without = NAMES.filter((name) => shown(name) === undefined);
  expect(without).toEqual(['dr_grpo', 'opo', 'maxrl']);
});

test.each(NAMES)('%s takes no options at all, and refuses one that it does not know', async (name) => {
  await using started = await app({ algorithm: { estimator: name }, rollout: { n: 4 } });
  expect(started.config.algorithm.estimator).toBe(name);
  const message = await refusal({
    algorithm: { estimator: name, estimatorOptions: { [name]: { sclae: 'batch' } } },
    rollout: { n: 4 },
  });
  expect(message).toMatch(/sclae|takes no options/);
});

test('pass@k with one rollout per task is refused at start, with the reason', async () => {
  const message = await refusal({ algorithm: { estimator: 'grpo_passk' }, rollout: { n: 1 } });
  expect(message).toContain('there is 1 rollout per task');
});

test.each([1, 2])('an adaptive beta with %d rollouts per task is refused at start', async (n) => {
  const message = await refusal({ algorithm: { estimator: 'entropic_adaptive_beta' }, rollout: { n } });
  expect(message).toContain('Set rollout.n to 3 or more');
});

test('an adaptive beta is held to its own budget', async () => {
  const algorithm = (klBudget: number) => ({
    estimator: 'entropic_adaptive_beta' as const,
    estimatorOptions: { entropic_adaptive_beta: { klBudget } },
  });
  expect(await refusal({ algorithm: algorithm(0.3), rollout: { n: 2 } })).toBe('it started');
  expect(await refusal({ algorithm: algorithm(1.5), rollout: { n: 4 } })).toContain(
    'Set rollout.n to 5 or more',
  );
  expect(await refusal({ algorithm: algorithm(1.5), rollout: { n: 5 } })).toBe('it started');
});

test.each([
  ['rewardClip', { rewardClip: { min: null, max: 1 } }],
  ['lengthPenalty', { lengthPenalty: { kind: 'linear', factor: 0.5 } }],
] as const)('gdpo is refused beside %s, which it would not see', async (name, shaping) => {
  const message = await refusal({ algorithm: { estimator: 'gdpo', ...shaping } });
  expect(message).toContain(`algorithm.${name} changes their total alone`);
});

test('a leave-one-out residual over a leave-one-out std is refused at start, with the reason', async () => {
  const message = await refusal({
    algorithm: {
      estimator: 'rloo_normalized',
      // @ts-expect-error its type refuses it too
      estimatorOptions: { rloo_normalized: { scale: 'leave_one_out' } },
    },
  });
  expect(message).toContain('algorithm.estimatorOptions.rloo_normalized.scale');
  expect(message).toContain('cannot be divided by a leave-one-out std');
});

test.each([
  { estimator: 'gdpo', options: {} },
  { estimator: 'gpg', options: {} },
  { estimator: 'grpo_scaled', options: { scale: 'batch' } },
  { estimator: 'rloo_normalized', options: { scale: 'batch' } },
  { estimator: 'mean_std_level', options: {} },
])('$estimator with $options is refused where a batch is one task', async ({ estimator, options }) => {
  const algorithm = { estimator, estimatorOptions: { [estimator]: options } };
  const message = await refusal({ algorithm, data: { trainBatchSize: 1 } });
  expect(message).toContain('a batch is one task');
  expect(await refusal({ algorithm, data: { trainBatchSize: 2 } })).toBe('it started');
});

test.each([
  { estimator: 'grpo_scaled', options: { scale: 'group' } },
  { estimator: 'rloo_normalized', options: {} },
  { estimator: 'mean_std_level', options: { meanLevel: 'group', stdLevel: 'none' } },
])('$estimator with $options works where a batch is one task', async ({ estimator, options }) => {
  const algorithm = { estimator, estimatorOptions: { [estimator]: options } };
  expect(await refusal({ algorithm, data: { trainBatchSize: 1 } })).toBe('it started');
});

test('the baselines of rae go through the state of the registry', async () => {
  await using first = await app({ algorithm: { estimator: 'rae' } });
  const batch = {
    role: 'white',
    rewards: [Float64Array.of(1)],
    groups: [],
    algorithm: first.config.algorithm,
    options: {},
  };
  first.estimators.get('rae').estimate(batch);
  await using second = await app({ algorithm: { estimator: 'rae' } });
  second.estimators.loadStateDict(JSON.parse(JSON.stringify(first.estimators.stateDict())));
  expect(second.estimators.get('rae').estimate(batch)).toEqual({ advantages: [Float64Array.of(0.95)] });
});
