import { describe, expect, test } from 'vitest';
import type { BackendDefinition } from '../../src/backend/index.js';
import { localBackend } from '../../src/backend/local/index.js';
import {
  type BackendContractOptions,
  backendContract,
  inMemoryBackend,
  type ScriptedPolicy,
} from '../../src/testing/index.js';

/** North or south, the more likely the more it was reinforced. */
const twoWords: ScriptedPolicy = ({ preference, random }) => {
  const difference = (preference('north') - preference('south')) / 4;
  return random.next() < 1 / (1 + Math.exp(-difference)) ? 'north' : 'south';
};

const BACKENDS: readonly (readonly [string, BackendDefinition, BackendContractOptions])[] = [
  [
    'local',
    localBackend,
    {
      options: {
        vocabulary: { words: ['<bos>', 'hello', 'a', 'b', 'c', 'd', 'e', 'f'], bos: '<bos>' },
        model: { dModel: 8, nLayers: 1, nHeads: 2, contextLength: 16 },
        workers: 1,
      },
      config: { algorithm: { learningRate: 0.02 } },
    },
  ],
  ['in-memory', inMemoryBackend({ policy: twoWords, maxPromptTokens: 1000 }), {}],
  [
    'in-memory that only samples',
    inMemoryBackend({ policy: twoWords, maxPromptTokens: 1000, capabilities: { training: false } }),
    {},
  ],
];

describe.each(BACKENDS)('the backend %s', (_name, definition, options) => {
  test.each(backendContract(definition, options))('$name', ({ run }) => run());
});

test('there are checks for each claim, and fewer for one that only samples', () => {
  const [local = [], memory = [], sampling = []] = BACKENDS.map(([, definition, options]) =>
    backendContract(definition, options).map(({ name }) => name),
  );
  expect(new Set(local).size).toBe(local.length);
  expect(local).toContain('writes step.values in stage 5 where they are asked for');
  expect(memory).toContain('trains a step with the loss "cispo"');
  expect(sampling).toContain('an app validates with it, and refuses to train');
  expect(sampling.length).toBeLessThan(memory.length);
});
