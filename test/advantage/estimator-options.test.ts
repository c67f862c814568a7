import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import {
  type AdvantageBatch,
  collectRewardsAndAdvantages,
  type EstimateFunction,
} from '../../src/advantage/index.js';
import type { StandardSchema } from '../../src/standard-schema.js';
import type { Step } from '../../src/types/index.js';
import { advantagesOf, algorithm, builtInRegistry, group } from './support.js';

const schema = z.strictObject({ factor: z.number().min(0).default(2) });

const scaled: EstimateFunction<{ factor: number }> = ({ rewards, options }) => ({
  advantages: rewards.map((own) => own.map((reward) => reward * options.factor)),
});

function registryWith(options: StandardSchema = schema) {
  const registry = builtInRegistry();
  registry.addFunction('scaled', (batch) => scaled(batch as AdvantageBatch<{ factor: number }>), 'test', {
    options,
  });
  return registry;
}

/** As another schema library would: it answers later. */
const asyncSchema: StandardSchema = {
  '~standard': {
    version: 1,
    vendor: 'test',
    validate: async (value) => ({ value: { factor: 5, ...(value as object) } }),
  },
};

describe('options of an estimator', () => {
  test('reach it validated, with defaults filled in', () => {
    const own = group([1, 2]);
    const config = algorithm({ estimator: 'scaled' });
    collectRewardsAndAdvantages([own], config, { registry: registryWith() });
    expect(advantagesOf(own)).toEqual([2, 4]);
    collectRewardsAndAdvantages(
      [own],
      { ...config, estimatorOptions: { scaled: { factor: 3 } } },
      {
        registry: registryWith(),
      },
    );
    expect(advantagesOf(own)).toEqual([3, 6]);
  });

  test('that its schema refuses are an error with their path', () => {
    const config = algorithm({ estimator: 'scaled', estimatorOptions: { scaled: { factor: -1 } } });
    expect(() => collectRewardsAndAdvantages([group([1])], config, { registry: registryWith() })).toThrow(
      expect.objectContaining({
        code: 'CONFIG_INVALID',
        message: expect.stringContaining('algorithm.estimatorOptions.scaled.factor'),
      }),
    );
  });

  test('are refused for an estimator that takes none', () => {
    const config = algorithm({ estimatorOptions: { grpo: { factor: 1 } } });
    expect(() => builtInRegistry().optionsOf('grpo', config)).toThrow(
      expect.objectContaining({
        code: 'CONFIG_INVALID',
        message: expect.stringContaining('takes no options'),
      }),
    );
  });

  test.each([
    ['normAdvByStdInGrpo', 'takes no options; the setting is algorithm.normAdvByStdInGrpo'],
    ['toString', 'takes no options'],
  ])('that are settings of the algorithm are told so: %s', async (option, message) => {
    const config = algorithm({ estimatorOptions: { grpo: { [option]: false } } });
    const path = `algorithm.estimatorOptions.grpo.${option}`;
    expect(() => builtInRegistry().optionsOf('grpo', config)).toThrow(`${path}: this estimator ${message}`);
    expect(await builtInRegistry().checkOptions('grpo', config)).toEqual([
      { at: `.${option}`, message: `this estimator ${message}` },
    ]);
  });

  test('with an async schema are ready once they were checked, and say so before', async () => {
    const registry = registryWith(asyncSchema);
    const config = algorithm({ estimator: 'scaled', estimatorOptions: { scaled: { factor: 7 } } });
    expect(() => registryWith(asyncSchema).optionsOf('scaled', config)).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID', message: expect.stringContaining('async') }),
    );
    expect(await registry.checkOptions('scaled', config)).toEqual([]);
    expect(registry.optionsOf('scaled', config)).toEqual({ factor: 7 });
  });

  test('are described as JSON Schema where the library can', () => {
    const described = registryWith().describe('scaled').options;
    expect(described).toMatchObject({ properties: { factor: { type: 'number', minimum: 0, default: 2 } } });
    expect(registryWith(asyncSchema).describe('scaled')).not.toHaveProperty('options');
    expect(JSON.parse(JSON.stringify(registryWith().list()))).toEqual(registryWith().list());
  });
});

describe('what an estimator requires', () => {
  const requiring = (
    requirement: 'values' | 'teacherLogprobs' | 'stepAnchors' | 'greedyBaseline' | 'rewardComponents',
  ) => {
    const registry = builtInRegistry();
    registry.addFunction('needy', ({ rewards }) => ({ advantages: rewards }), 'test', {
      requires: [requirement],
    });
    return registry;
  };
  const config = algorithm({ estimator: 'needy' });

  test.each([
    ['values', /step 0 \("t-0-0"\) of rollout 0 of task "t".*2 response tokens and 0 critic values/],
    ['teacherLogprobs', /step 0 \("t-0-0"\).*0 teacher log-probs/],
    ['stepAnchors', /step 0 \("t-0-0"\).*no observation/],
    ['greedyBaseline', /task "t", role "solver".*no greedy rollout/],
    ['rewardComponents', /task "t", role "solver".*trajectory\.rewards/],
  ] as const)('%s that is not there is an error that says where', (requirement, says) => {
    expect(() =>
      collectRewardsAndAdvantages([group([1, 0])], config, { registry: requiring(requirement) }),
    ).toThrow(expect.objectContaining({ code: 'ESTIMATOR_INPUT', message: expect.stringMatching(says) }));
  });

  test('is asked of steps with tokens only, and may be null per token for a teacher', () => {
    const own = group([1, 0], { tokens: [2, 0] });
    for (const { steps } of own.trajectories) (steps[0] as Step).teacherLogprobs = [-1, null];
    collectRewardsAndAdvantages([own], config, { registry: requiring('teacherLogprobs') });
    expect(advantagesOf(own)).toEqual([1, 0]);
  });
});
