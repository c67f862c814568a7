import { describe, expect, test } from 'vitest';
import { configSchema, DEFAULT_CONFIG, defineConfig, resolveConfig } from '../../src/config/index.js';
import { faultsOf } from './faults-of.js';

describe('defaults', () => {
  test('an empty configuration has every default, once and for all', () => {
    expect(resolveConfig({})).toEqual({
      plugins: [],
      algorithm: {
        estimator: 'grpo',
        estimatorMap: {},
        estimatorOptions: {},
        stepwiseAdvantageMode: 'broadcast',
        normAdvByStdInGrpo: true,
        usePrecomputedAdvantage: false,
        loneTrajectory: 'reward',
        missingReward: 'error',
        advantageClip: null,
        rewardClip: { min: null, max: null },
        lengthPenalty: null,
        klInReward: { coefficient: 0, estimator: 'k1' },
        lossFn: null,
        lossFnMap: {},
        lossConfig: { clipLowThreshold: null, clipHighThreshold: null, beta: null },
        learningRate: null,
        lrSchedule: 'constant',
        warmupStepsRatio: 0,
        adam: { beta1: 0.9, beta2: 0.95, eps: 1e-8, weightDecay: 0 },
        maxGradNorm: null,
        miniBatches: 1,
        updateEpochs: 1,
      },
      transform: {
        groupingHook: 'task_role',
        groupingOptions: {},
        imputeMissingNames: true,
        trajectoryReward: 'last',
      },
      compactFiltering: {
        enable: false,
        maskMaxPromptLengthExceeded: true,
        maskMaxResponseLengthExceeded: true,
        maskEnvDone: false,
        maskMaxTurnsExceeded: true,
        maskTimeout: true,
        maskUnknown: true,
        maskError: true,
      },
      rejectionSample: { mode: 'none', minPartialSolveTasks: 1, minTrajsPerGroup: 2 },
      workflow: {
        use: '',
        options: {},
        nParallelTasks: 256,
        retryLimit: 3,
        retryOn: ['error'],
        retryBackoffMs: 500,
        timeoutMs: 3_600_000,
        raiseOnError: true,
        gamma: 0,
        rewardBonusCoeff: 0,
      },
      reward: { functions: [] },
      rollout: {
        n: 8,
        nVal: 1,
        train: { temperature: 1, topP: 1, maxTokens: 1024 },
        val: { temperature: 1, topP: 1, maxTokens: 1024 },
      },
      trainer: {
        projectName: 'rllm-training',
        experimentName: 'default',
        seed: 0,
        totalEpochs: 1,
        totalBatches: null,
        testFreq: 5,
        valBeforeTrain: true,
        valOnly: false,
        saveFreq: 20,
        keepCheckpoints: null,
        showTrajectories: 0,
        stopWhen: null,
        hooks: { onError: 'fail', slowMs: 10_000 },
        runsDir: 'runs',
      },
      data: {
        train: null,
        val: null,
        trainBatchSize: 32,
        valBatchSize: null,
        shuffle: true,
        dropLast: true,
        idField: 'id',
        sourceField: 'data_source',
      },
      backend: { name: 'local', options: {} },
      tracking: { trackers: ['console'], logEpisodes: false },
    });
  });

  test('the exported defaults, the schema alone and an empty section agree', () => {
    expect(DEFAULT_CONFIG).toEqual(configSchema.parse({}));
    const sections = Object.fromEntries(
      Object.keys(DEFAULT_CONFIG).map((name) => [name, name === 'plugins' ? [] : {}]),
    );
    expect(resolveConfig(sections)).toEqual(DEFAULT_CONFIG);
  });

  test('an undefined field is a field left out', () => {
    expect(resolveConfig({ trainer: { seed: undefined }, data: undefined })).toEqual(DEFAULT_CONFIG);
  });

  test('resolving a resolved configuration changes nothing', () => {
    const config = resolveConfig({
      plugins: ['a'],
      backend: 'local',
      algorithm: { estimatorMap: { judge: 'rloo' } },
    });
    expect(resolveConfig(config)).toEqual(config);
  });

  test('the schema reference of an editor is allowed and is no part of the configuration', () => {
    expect(resolveConfig({ $schema: './rllmrc.schema.json' })).toEqual(DEFAULT_CONFIG);
  });
});

describe('what comes out', () => {
  test('a plugin or backend may be its bare name', () => {
    const config = resolveConfig({ plugins: ['a', { use: './b.ts', options: { x: 1 } }], backend: 'tinker' });
    expect(config.plugins).toEqual([
      { use: 'a', options: {} },
      { use: './b.ts', options: { x: 1 } },
    ]);
    expect(config.backend).toEqual({ name: 'tinker', options: {} });
  });

  test('is frozen all the way down, and what went in is left as it was', () => {
    const input = { workflow: { options: { nested: { list: [1] } } } };
    const { workflow } = resolveConfig(input);
    expect(() => Object.assign(workflow.options['nested'] as object, { x: 1 })).toThrow(TypeError);
    input.workflow.options.nested.list.push(2);
    expect(workflow.options).toEqual({ nested: { list: [1] } });
  });

  test('instances of classes in options are handed on untouched', () => {
    class Client {
      calls = 0;
    }
    const client = new Client();
    const { workflow } = resolveConfig({ workflow: { options: { client } } });
    expect(workflow.options['client']).toBe(client);
    client.calls++;
    expect(client.calls).toBe(1);
  });

  test('null means unset where a field has it, and is a fault where it has not', () => {
    const config = resolveConfig({ workflow: { timeoutMs: null }, algorithm: { learningRate: null } });
    expect([config.workflow.timeoutMs, config.algorithm.learningRate]).toEqual([null, null]);
    expect(faultsOf({ trainer: { seed: null } }).byPath['trainer.seed']?.expected).toBe(
      'a whole number of at least 0',
    );
  });
});

describe('a misspelled key', () => {
  test('is a fault with the nearest name', () => {
    const { code, byPath, message } = faultsOf({ algorithm: { normAdvByStdd: true } });
    expect(code).toBe('CONFIG_INVALID');
    expect(byPath['algorithm.normAdvByStdd']?.nearest).toBe('normAdvByStdInGrpo');
    expect(message).toContain('unknown key "normAdvByStdd". Did you mean "normAdvByStdInGrpo"?');
  });

  test.each([
    [{ algoritm: {} }, 'algoritm', 'algorithm'],
    [{ algorithm: { adam: { beta_1: 1 } } }, 'algorithm.adam.beta_1', 'beta1'],
    [{ rollout: { train: { topp: 1 } } }, 'rollout.train.topp', 'topP'],
    [
      { algorithm: { lengthPenalty: { kind: 'soft_overlong', maxTokens: 9, bufer: 1 } } },
      'algorithm.lengthPenalty.bufer',
      'buffer',
    ],
    [{ plugins: [{ use: 'a' }, { use: 'b', option: {} }] }, 'plugins.1.option', 'options'],
    [{ backend: { name: 'x', option: {} } }, 'backend.option', 'options'],
    [
      { trainer: { stopWhen: { metric: 'm', atLeast: 1, atleast: 1 } } },
      'trainer.stopWhen.atleast',
      'atLeast',
    ],
    [{ trainer: { project_name: 'x' } }, 'trainer.project_name', 'projectName'],
  ])('is found at any depth: %j', (input, path, nearest) => {
    expect(faultsOf(input).byPath[path]?.nearest).toBe(nearest);
  });

  test('that belongs to another section is answered with its path', () => {
    const { byPath } = faultsOf({ estimator: 'rloo', rollout: { temperature: 1 } });
    expect(byPath['estimator']?.nearest).toBe('algorithm.estimator');
    expect(byPath['rollout.temperature']?.nearest).toBe('rollout.train.temperature');
  });

  test('that resembles nothing is answered with what is allowed', () => {
    expect(faultsOf({ rejectionSample: { qqqq: 1 } }).message).toContain(
      'unknown key "qqqq"; expected one of mode, minPartialSolveTasks, minTrajsPerGroup.',
    );
  });

  test('may not be __proto__, even among options', () => {
    const input: unknown = JSON.parse(
      '{"workflow": {"options": {"a": [{"__proto__": {"x": 1}}]}}, "__proto__": {}}',
    );
    expect(faultsOf(input).faults.map((fault) => fault.path)).toEqual([
      'workflow.options.a.0.__proto__',
      '__proto__',
    ]);
  });
});

describe('a wrong value', () => {
  test.each([
    [{ rollout: { n: 0 } }, 'rollout.n', 'a whole number of at least 1', '0'],
    [{ rollout: { n: 1.5 } }, 'rollout.n', 'a whole number of at least 1', '1.5'],
    [{ trainer: { seed: '8' } }, 'trainer.seed', 'a whole number of at least 0', '"8"'],
    [{ trainer: { seed: Number.NaN } }, 'trainer.seed', 'a whole number of at least 0', 'NaN'],
    [{ rollout: { train: { topP: 0 } } }, 'rollout.train.topP', 'a number above 0 and at most 1', '0'],
    [{ rollout: { val: { temperature: -1 } } }, 'rollout.val.temperature', 'a number of at least 0', '-1'],
    [
      { algorithm: { warmupStepsRatio: 1.1 } },
      'algorithm.warmupStepsRatio',
      'a number of at least 0 and at most 1',
      '1.1',
    ],
    [
      { algorithm: { learningRate: Infinity } },
      'algorithm.learningRate',
      'a number of at least 0, or null',
      'Infinity',
    ],
    [{ algorithm: { estimator: '' } }, 'algorithm.estimator', 'a text that is not empty', 'an empty text'],
    [
      { algorithm: { estimatorMap: { judge: 3 } } },
      'algorithm.estimatorMap.judge',
      'a text that is not empty',
      '3',
    ],
    [{ compactFiltering: { enable: 'true' } }, 'compactFiltering.enable', 'true or false', '"true"'],
    [
      { workflow: { timeoutMs: 2 ** 31 } },
      'workflow.timeoutMs',
      'a whole number of at least 1 and at most 2147483647, or null',
      '2147483648',
    ],
    [{ plugins: [3] }, 'plugins.0', 'a name or an object', '3'],
    [{ plugins: 'a' }, 'plugins', 'a list, each item a name or an object', '"a"'],
    [{ backend: { options: { local: [] } } }, 'backend.options.local', 'an object', 'a list'],
    [{ data: () => ({}) }, 'data', 'an object', 'a function'],
    [[], '', 'an object', 'a list'],
    [undefined, '', 'an object', undefined],
  ])('says what was expected and what was given: %j', (input, path, expected, given) => {
    const fault = faultsOf(input).byPath[path];
    expect(fault?.expected).toBe(expected);
    expect(fault?.given).toBe(given);
  });

  test('of a fixed choice is answered with the nearest one', () => {
    const { byPath } = faultsOf({ transform: { trajectoryReward: 'lst' }, workflow: { retryOn: ['eror'] } });
    expect(byPath['transform.trajectoryReward']?.nearest).toBe('last');
    expect(byPath['workflow.retryOn.0']?.nearest).toBe('error');
    const penalty = faultsOf({ algorithm: { lengthPenalty: { kind: 'liner' } } });
    expect(penalty.byPath['algorithm.lengthPenalty.kind']).toMatchObject({
      nearest: 'linear',
      expected: 'one of "soft_overlong", "linear"',
    });
  });

  test('is a missing one where a field has no default', () => {
    const { byPath } = faultsOf({ trainer: { stopWhen: {} }, plugins: [{}] });
    expect(Object.keys(byPath).sort()).toEqual([
      'plugins.0.use',
      'trainer.stopWhen.atLeast',
      'trainer.stopWhen.metric',
    ]);
  });

  test.each(['..', 'a/b', 'a\\b', 'a\nb'])('is a project name that leaves its folder: %j', (projectName) => {
    expect(faultsOf({ trainer: { projectName } }).byPath['trainer.projectName']?.expected).toContain(
      'a folder',
    );
  });

  test('is a value that contains itself', () => {
    const options: Record<string, unknown> = {};
    options['again'] = [options];
    expect(faultsOf({ workflow: { options } }).byPath['workflow.options.again.0']?.message).toContain(
      'contains itself',
    );
  });

  test('is per_step, with the reason and what to do instead', () => {
    const { message } = faultsOf({ algorithm: { stepwiseAdvantageMode: 'per_step' } });
    expect(message).toMatch(/"per_step" is not implemented: rLLM .*silently.*usePrecomputedAdvantage/);
  });
});

test('all faults are in one report', () => {
  const { faults } = faultsOf({
    estimatr: 1,
    plugins: [{ us: 'x' }],
    algorithm: { adam: { beta1: 2 }, lossConfig: { clipLowThreshold: 2, clipHighThreshold: 1 } },
    trainer: { seed: 'x', totalEpochs: 0 },
  });
  expect(faults.map((fault) => fault.path).sort()).toEqual([
    'algorithm.adam.beta1',
    'algorithm.lossConfig.clipLowThreshold',
    'estimatr',
    'plugins.0.us',
    'plugins.0.use',
    'trainer.seed',
    'trainer.totalEpochs',
  ]);
});

describe('settings that cannot be honoured together', () => {
  test.each([
    ['training without an end', { trainer: { totalEpochs: 0 } }, 'trainer.totalEpochs'],
    [
      'a stop by validation that never validates',
      { trainer: { stopWhen: { metric: 'val/x/pass@1', atLeast: 1 }, testFreq: 0 } },
      'trainer.stopWhen',
    ],
    [
      'waiting for partly solved tasks of one rollout',
      { rejectionSample: { mode: 'episode' }, rollout: { n: 1 } },
      'rejectionSample.mode',
    ],
    [
      'clip bounds that cross',
      { algorithm: { lossConfig: { clipLowThreshold: 1.2, clipHighThreshold: 0.8 } } },
      'algorithm.lossConfig.clipLowThreshold',
    ],
    [
      'every ending masked',
      { compactFiltering: { enable: true, maskEnvDone: true } },
      'compactFiltering.maskEnvDone',
    ],
    ['a tracker named twice', { tracking: { trackers: ['console', 'console'] } }, 'tracking.trackers.1'],
  ])('%s', (_, input, path) => {
    expect(faultsOf(input).faults.map((fault) => fault.path)).toEqual([path]);
  });

  test.each([
    ['an end by steps', { trainer: { totalEpochs: 0, totalBatches: 10 } }],
    ['no training at all', { trainer: { totalEpochs: 0, valOnly: true } }],
    ['masks that are not enabled', { compactFiltering: { enable: false, maskEnvDone: true } }],
  ])('but not %s', (_, input) => {
    expect(resolveConfig(input)).toMatchObject(input);
  });

  test('are not reported for a value that is itself wrong', () => {
    const { faults } = faultsOf({ trainer: { totalEpochs: 0, totalBatches: 'x' } });
    expect(faults.map((fault) => fault.path)).toEqual(['trainer.totalBatches']);
  });
});

test('defineConfig types a file and returns what it is given', () => {
  const input = { trainer: { seed: 3, stopWhen: { metric: 'm', atLeast: 1 } }, plugins: ['a', { use: 'b' }] };
  expect(defineConfig(input)).toBe(input);
  // @ts-expect-error: a key that does not exist
  defineConfig({ trainer: { sead: 3 } });
  // @ts-expect-error: a value of another type
  defineConfig({ trainer: { seed: '3' } });
  // @ts-expect-error: half of a condition
  defineConfig({ trainer: { stopWhen: { metric: 'm' } } });
  // @ts-expect-error: a mode that is refused
  defineConfig({ algorithm: { stepwiseAdvantageMode: 'per_step' } });
});
