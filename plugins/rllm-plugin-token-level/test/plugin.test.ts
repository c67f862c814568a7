import {
  type App,
  BACKEND,
  type BackendDefinition,
  createApp,
  definePlugin,
  defineWorkflow,
  type RllmConfigInput,
  resolveConfig,
} from 'rllm-sdk';
import { type InMemoryBackend, inMemoryBackend } from 'rllm-sdk/testing';
import { describe, expect, test } from 'vitest';
import plugin from '../src/index.js';
import { withRegistry } from './support.js';

const names = [
  'reinforce_plus_plus',
  'reinforce_plus_plus_kl',
  'reinforce_plus_plus_baseline_tokens',
  'gae',
  'gae_kl',
  'remax',
  'optimal_token_baseline',
  'kl_shaped',
  'distillation',
  'rlsd',
  'bi_level_gae',
  'a_star_po',
];

test('an app that has it knows all its estimators', async () => {
  const own = await withRegistry((registry) =>
    registry.list().filter(({ owner }) => owner === 'rllm-plugin-token-level'),
  );
  expect(own.map(({ name }) => name)).toEqual(names);
  for (const { summary, options } of own) {
    expect(summary).not.toBe('');
    expect(options).toMatchObject({ type: 'object', additionalProperties: false });
  }
});

test.each([
  { name: 'reinforce_plus_plus', requires: ['lengths'], scope: 'batch' },
  { name: 'reinforce_plus_plus_kl', requires: ['lengths', 'logprobs', 'referenceLogprobs'], scope: 'batch' },
  { name: 'reinforce_plus_plus_baseline_tokens', requires: ['lengths'], scope: 'batch' },
  { name: 'gae', requires: ['lengths', 'values'], scope: 'batch' },
  { name: 'gae_kl', requires: ['lengths', 'values', 'logprobs', 'referenceLogprobs'], scope: 'batch' },
  { name: 'remax', requires: ['lengths', 'greedyBaseline'], scope: 'group' },
  { name: 'optimal_token_baseline', requires: ['lengths', 'logprobs'], scope: 'group' },
  { name: 'kl_shaped', requires: ['lengths', 'logprobs', 'referenceLogprobs'], scope: 'batch' },
  { name: 'distillation', requires: ['lengths', 'logprobs', 'teacherLogprobs'], scope: 'group' },
  { name: 'rlsd', requires: ['lengths', 'logprobs', 'teacherLogprobs'], scope: 'group' },
  { name: 'bi_level_gae', requires: ['lengths', 'values'], scope: 'batch' },
  {
    name: 'a_star_po',
    requires: ['lengths', 'logprobs', 'referenceLogprobs'],
    scope: 'group',
    perToken: false,
  },
])('$name says what it needs and whether groups influence each other', async ({ name, ...expected }) => {
  const described = await withRegistry((registry) => registry.describe(name));
  expect(described).toMatchObject({ perToken: true, ...expected });
});

test('options left out have the values that the README says', async () => {
  const { algorithm } = resolveConfig({});
  const defaults = await withRegistry((registry) =>
    Object.fromEntries(names.map((name) => [name, registry.optionsOf(name, algorithm)])),
  );
  expect(defaults).toEqual({
    reinforce_plus_plus: { gamma: 1, rewards: 'final', discount: 'tokens', whiten: true },
    reinforce_plus_plus_kl: {
      gamma: 1,
      rewards: 'final',
      discount: 'tokens',
      whiten: true,
      coefficient: 0.001,
      klEstimator: 'k1',
    },
    reinforce_plus_plus_baseline_tokens: { uniformGroups: 'zero' },
    gae: { gamma: 1, lambda: 0.95, rewards: 'final', bootstrapTruncated: false, whiten: true },
    gae_kl: {
      gamma: 1,
      lambda: 0.95,
      rewards: 'final',
      bootstrapTruncated: false,
      whiten: true,
      coefficient: 0.001,
      klEstimator: 'k1',
    },
    remax: { rewards: 'final' },
    optimal_token_baseline: { rewards: 'final', zeroTail: true },
    kl_shaped: {
      base: 'grpo',
      coefficient: 0.01,
      discount: 0,
      center: true,
      whiten: false,
      maskUniform: false,
    },
    distillation: {
      base: 'none',
      coefficient: 1,
      discount: 0,
      clip: { min: null, max: null },
    },
    rlsd: { base: 'grpo', mix: 0.5, clip: 0.2 },
    bi_level_gae: { turnGamma: 0.95, gamma: 1, lambda: 0.95, rewards: 'final', whiten: true },
    a_star_po: { valueTemperature: 0.5, coefficient: 0.001, optimalValues: {} },
  });
});

describe('what cannot work is refused, with the reason', () => {
  const reasons = (name: string, tasksPerBatch: number, overrides = {}, options = {}) =>
    withRegistry((registry) => {
      const { algorithm } = resolveConfig({
        algorithm: { estimatorOptions: { [name]: options }, ...overrides },
      });
      return registry.check(name, { algorithm, rollouts: 4, tasksPerBatch });
    });

  test.each(['reinforce_plus_plus', 'reinforce_plus_plus_kl', 'gae', 'gae_kl'])(
    '%s whitens over a batch of one task, unless it does not whiten',
    async (name) => {
      expect(await reasons(name, 1)).toEqual([expect.stringContaining('a batch is one task')]);
      expect(await reasons(name, 2)).toEqual([]);
      expect(await reasons(name, 1, {}, { whiten: false })).toEqual([]);
    },
  );

  test('kl_shaped only where it whitens', async () => {
    expect(await reasons('kl_shaped', 1)).toEqual([]);
    expect(await reasons('kl_shaped', 1, {}, { whiten: true })).toEqual([
      expect.stringContaining('a batch is one task'),
    ]);
  });

  test('reinforce_plus_plus_baseline_tokens always whitens', async () => {
    const name = 'reinforce_plus_plus_baseline_tokens';
    expect(await reasons(name, 1)).toEqual([expect.stringContaining('a batch is one task')]);
    expect(await reasons(name, 2)).toEqual([]);
  });

  test.each(['reinforce_plus_plus_kl', 'gae_kl', 'kl_shaped'])(
    '%s counts the KL that the reward counts too',
    async (name) => {
      const klInReward = { coefficient: 0.1 };
      expect(await reasons(name, 2, { klInReward })).toEqual([expect.stringContaining('klInReward')]);
      expect(await reasons(name, 2)).toEqual([]);
    },
  );

  test('an option out of range, at start', async () => {
    const algorithm = { estimator: 'gae', estimatorOptions: { gae: { lambda: 2 } } };
    await expect(appWith(algorithm)).rejects.toThrow('estimatorOptions.gae.lambda');
  });

  test.each([
    { estimator: 'gae', capabilities: {}, why: 'has no critic' },
    { estimator: 'kl_shaped', capabilities: {}, why: 'gives no reference log-probs' },
    {
      estimator: 'reinforce_plus_plus',
      capabilities: { perTokenAdvantages: false },
      why: 'takes one per step',
    },
  ])(
    '$estimator on a backend that cannot give it what it needs, at start',
    async ({ estimator, capabilities, why }) => {
      const backend = inMemoryBackend({ policy: () => 'yes', capabilities });
      await expect(appWith({ estimator }, backend)).rejects.toThrow(why);
    },
  );
});

test('a run trains with gae on a backend that has a critic: the update sees an advantage for each token', async () => {
  const backend = inMemoryBackend({
    policy: ({ random }) => (random.next() < 0.5 ? 'yes it is' : 'no'),
    capabilities: { values: true },
    annotate: (step) => {
      step.values = step.responseIds.map(() => 0.25);
    },
  });
  await using app = await appWith(
    { estimator: 'gae', estimatorOptions: { gae: { whiten: false } } },
    backend,
  );
  await (await app.trainer()).fit();
  const { updates } = app.resolve(BACKEND) as InMemoryBackend;
  const trained = updates.flatMap(({ groups }) => groups.flatMap(({ trajectories }) => trajectories));
  expect(trained.length).toBeGreaterThan(0);
  for (const { replies, advantages } of trained) {
    const [right] = replies;
    // δ is r − 0.25 at the last token; before it only what λ 0.95 carries back, as the values do not change.
    const last = (right === 'yes it is' ? 1 : 0) - 0.25;
    const [own = []] = advantages as readonly number[][];
    // Its words, and the token that ends the reply.
    expect(own).toHaveLength((right?.split(' ').length ?? 0) + 1);
    own.forEach((value, t) => {
      expect(value).toBeCloseTo(last * 0.95 ** (own.length - 1 - t), 12);
    });
  }
});

function appWith(
  algorithm: NonNullable<RllmConfigInput['algorithm']>,
  backend: BackendDefinition = inMemoryBackend({ policy: () => 'yes' }),
): Promise<App> {
  return createApp(
    {
      backend: 'in-memory',
      algorithm,
      data: { trainBatchSize: 2 },
      rollout: { n: 4 },
      trainer: { totalEpochs: 1, saveFreq: 0 },
    },
    {
      plugins: [plugin, definePlugin({ name: 'memory', apiVersion: 1, backends: [backend] })],
      workflow: defineWorkflow('ask', async (task, context) => {
        const agent = context.agent('speaker');
        const { content } = await agent.respond(String(task['question']));
        agent.reward(content === 'yes it is' ? 1 : 0);
      }),
      trainData: [{ question: 'Is it so?' }, { question: 'And this?' }],
      useDeclared: false,
      run: null,
    },
  );
}
