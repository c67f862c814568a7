import { describe, expect, test } from 'vitest';
import { type AdvantageBatch, AdvEstimator } from '../../src/advantage/index.js';
import { RllmError } from '../../src/errors.js';
import { definePlugin, type PluginDefinition } from '../../src/plugin-host/index.js';

const thrownBy = (act: () => unknown): RllmError => {
  try {
    act();
  } catch (thrown) {
    if (RllmError.isInstance(thrown)) return thrown;
  }
  throw new Error('no RllmError was thrown');
};

/** As from JavaScript, where no type holds anyone back. */
const defineAnything = (definition: unknown): unknown => definePlugin(definition as PluginDefinition);

describe('definePlugin', () => {
  test('gives back the very object that it is given', () => {
    const zero = AdvEstimator('test-zero')(({ rewards }: AdvantageBatch) => ({
      advantages: rewards.map((r) => r.map(() => 0)),
    }));
    const definition = { name: 'p', apiVersion: 1, estimators: [zero], hooks: { onTrainEnd() {} } };
    expect(definePlugin(definition)).toBe(definition);
  });

  test.each([
    { what: 'nothing', definition: undefined, at: ['the definition must be an object, got undefined'] },
    { what: 'a list', definition: [], at: ['the definition must be an object, got a list of 0'] },
    { what: 'no API version', definition: { name: 'p' }, at: ['apiVersion is missing; this SDK speaks 1'] },
    {
      what: 'no name',
      definition: { apiVersion: 1 },
      at: ['name must be a text that is not empty, got undefined'],
    },
    {
      what: 'an empty name',
      definition: { name: ' ', apiVersion: 1 },
      at: ['name must be a text that is not empty, got " "'],
    },
    {
      what: 'a misspelt field',
      definition: { name: 'p', apiVersion: 1, estimator: [] },
      at: ['estimator is no field of a plugin. Did you mean "estimators"?'],
    },
    {
      what: 'a misspelt hook',
      definition: { name: 'p', apiVersion: 1, hooks: { onTrainStrat() {} } },
      at: ['hooks.onTrainStrat is no hook. Did you mean "onTrainStart"?'],
    },
    {
      what: 'an estimator without a name',
      definition: { name: 'p', apiVersion: 1, estimators: [class Mine {}] },
      at: ["estimators[0] has no name, got the function Mine: decorate it with @AdvEstimator('name')"],
    },
    {
      what: 'options that are no schema',
      definition: { name: 'p', apiVersion: 1, options: { type: 'object' } },
      at: ['options must be a Standard Schema'],
    },
    {
      what: 'several at once',
      definition: {
        name: 'p',
        apiVersion: 1,
        setup: 1,
        backends: [{ name: 'b' }],
        trackers: {},
        workflows: [{ run() {} }],
      },
      at: [
        'setup must be a function, got 1',
        'backends[0] ("b") needs create()',
        'trackers must be a list, got an object',
        'workflows[0] needs a name',
      ],
    },
  ])('$what is an error that says where', ({ definition, at }) => {
    const error = thrownBy(() => defineAnything(definition));
    expect(error.code).toBe('PLUGIN_INVALID');
    for (const part of at) expect(error.message).toContain(part);
    expect(error.details['problems']).toHaveLength(at.length);
  });

  test('a definition for another API version is not looked at: the app refuses it by name', () => {
    const future = { name: 'p', apiVersion: 2, engines: 'warp' };
    expect(defineAnything(future)).toBe(future);
  });
});
