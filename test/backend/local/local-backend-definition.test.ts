import { expect, test } from 'vitest';
import { localBackend } from '../../../src/backend/local/index.js';
import { createLocal, localConfig, rawOptions, validated } from './build-local.js';

async function faultPaths(
  raw: Record<string, unknown>,
  config = localConfig(),
): Promise<(readonly [string, string])[]> {
  const faults = localBackend.check?.(config, await validated(raw)) ?? [];
  return faults.map(({ path, message }) => [path.replace('backend.options.local.', ''), message] as const);
}

test('options fill in what is left out, and sound ones have no faults', async () => {
  expect(await validated({ vocabulary: { words: ['<bos>', 'a'], bos: '<bos>' } })).toEqual({
    vocabulary: { words: ['<bos>', 'a'], bos: '<bos>', separator: ' ', roles: {}, endOfTurn: null },
    model: { dModel: 32, nLayers: 1, nHeads: 4, dFf: null, contextLength: 64 },
    learningRate: 1e-3,
    workers: 2,
    critic: null,
    reference: null,
    teacher: null,
  });
  expect(await faultPaths(rawOptions())).toEqual([]);
});

test.each([
  ['an unknown key', { vocabulary: { words: ['<bos>', 'a'], bos: '<bos>' }, modle: {} }],
  ['a vocabulary of one word', { vocabulary: { words: ['a'], bos: 'a' } }],
  ['no vocabulary', {}],
  ['a width of 0', rawOptions({ model: { dModel: 0 } })],
])('options with %s are refused', async (_, raw) => {
  await expect(validated(raw)).rejects.toThrow();
});

test('special words must be in the vocabulary; the nearest is named', async () => {
  const vocabulary = {
    words: ['<bos>', '<user>', 'a', 'b c', 'a'],
    bos: '<boss>',
    endOfTurn: '<end>',
    roles: { user: '<user>', assistant: '<me>' },
  };
  const faults = await faultPaths(rawOptions({ vocabulary }));
  expect(faults.map(([path]) => path)).toEqual([
    'vocabulary.words[3]',
    'vocabulary.words[4]',
    'vocabulary.bos',
    'vocabulary.endOfTurn',
    'vocabulary.roles.assistant',
  ]);
  expect(faults[2]?.[1]).toContain('Did you mean "<bos>"?');
});

test('heads that do not share the width evenly, and a context without room, are faults', async () => {
  const model = { dModel: 10, nHeads: 4, contextLength: 2 };
  const vocabulary = { words: ['<bos>', '<me>'], bos: '<bos>', roles: { assistant: '<me>' } };
  expect((await faultPaths({ vocabulary, model })).map(([path]) => path)).toEqual([
    'model.nHeads',
    'model.contextLength',
  ]);
});

test('clip bounds the wrong way round are a fault', async () => {
  const config = localConfig({ lossConfig: { clipLowThreshold: 1.2, clipHighThreshold: 0.8, beta: null } });
  expect((await faultPaths(rawOptions(), config)).map(([path]) => path)).toEqual([
    'algorithm.lossConfig.clipLowThreshold',
  ]);
});

test('it declares what it can do', async () => {
  const { capabilities } = await createLocal();
  expect(capabilities.losses).toEqual(['importance_sampling', 'ppo', 'cispo', 'dro', 'cross_entropy']);
  expect(capabilities.defaultLosses).toEqual({ grpo: 'ppo', default: 'importance_sampling' });
});

test('a critic that is asked for without more is the one of a run that needs values', async () => {
  const settled = { coefficient: 0.5, detach: false, clip: null, learningRate: null };
  expect(await validated(rawOptions({ critic: {} }))).toMatchObject({ critic: settled });
  await expect(validated(rawOptions({ critic: { coefficient: 0 } }))).rejects.toThrow();
  await expect(validated(rawOptions({ reference: 'last' }))).rejects.toThrow();
  await expect(validated(rawOptions({ teacher: { checkpoint: '' } }))).rejects.toThrow();
});

test('a teacher that an estimator needs must be named, or be said to be the workflow', async () => {
  const needed = ['teacherLogprobs'] as const;
  await expect(createLocal(rawOptions(), localConfig(), needed)).rejects.toMatchObject({
    code: 'CONFIG_INVALID',
    details: { faults: [{ path: 'backend.options.local.teacher' }] },
  });
  for (const teacher of ['workflow', { checkpoint: 'somewhere' }]) {
    const backend = await createLocal(rawOptions({ teacher }), localConfig(), needed);
    expect(backend.capabilities).toMatchObject({
      values: true,
      referenceLogprobs: true,
      teacherLogprobs: true,
    });
  }
});
