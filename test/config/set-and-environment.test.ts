import { describe, expect, test } from 'vitest';
import { FOREIGN_VARIABLES, loadConfig, type RllmConfig, variableOf } from '../../src/config/index.js';
import { faultsOfLoading } from './faults-of.js';
import { folderWith } from './workspace.js';

interface Given {
  readonly file?: string;
  readonly set?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

async function configOf({ file = '{}', set = [], env = {} }: Given): Promise<RllmConfig> {
  return (await loadConfig({ cwd: folderWith({ 'rllmrc.json': file }), set, env })).config;
}

function refused({ file = '{}', set = [], env = {} }: Given): ReturnType<typeof faultsOfLoading> {
  return faultsOfLoading({ cwd: folderWith({ 'rllmrc.json': file }), set, env });
}

describe('--set', () => {
  test.each([
    ['trainer.seed=8', { trainer: { seed: 8 } }],
    ['data.shuffle=false', { data: { shuffle: false } }],
    ['workflow.timeoutMs=null', { workflow: { timeoutMs: null } }],
    ['algorithm.lossFn=null', { algorithm: { lossFn: null } }],
    ['algorithm.estimatorMap.judge=reinforce', { algorithm: { estimatorMap: { judge: 'reinforce' } } }],
    [
      'algorithm.estimatorMap["judge 1.b"]=reinforce',
      { algorithm: { estimatorMap: { 'judge 1.b': 'reinforce' } } },
    ],
    ['trainer.stopWhen={"metric":"m","atLeast":1}', { trainer: { stopWhen: { metric: 'm', atLeast: 1 } } }],
    ['workflow.retryOn=["timeout"]', { workflow: { retryOn: ['timeout'] } }],
    ['backend.options.local.width=32', { backend: { options: { local: { width: 32 } } } }],
    ['data.train=a=b.jsonl', { data: { train: { use: 'file', options: { path: 'a=b.jsonl' } } } }],
    ['plugins=["a"]', { plugins: [{ use: 'a', options: {} }] }],
  ])('%s', async (flag, expected) => {
    expect(await configOf({ set: [flag] })).toMatchObject(expected);
  });

  test('keeps a text where the field is a text, even one that looks like a number', async () => {
    const { trainer } = await configOf({ set: ['trainer.experimentName=2', 'trainer.projectName="p"'] });
    expect([trainer.experimentName, trainer.projectName]).toEqual(['2', 'p']);
  });

  test('reaches into lists, also with brackets, and into what a shorthand stands for', async () => {
    const config = await configOf({
      file: '{"plugins": ["a", {"use": "b"}], "backend": "tinker"}',
      set: [
        'plugins.0.options.x=1',
        'plugins[1].options.y=[2]',
        'plugins.2=c',
        'backend.options.tinker.rank=8',
      ],
    });
    expect(config.plugins).toEqual([
      { use: 'a', options: { x: 1 } },
      { use: 'b', options: { y: [2] } },
      { use: 'c', options: {} },
    ]);
    expect(config.backend).toEqual({ name: 'tinker', options: { tinker: { rank: 8 } } });
  });

  test('switches the backend and keeps the options of the file', async () => {
    const file = '{"backend": {"name": "local", "options": {"tinker": {"rank": 8}}}}';
    expect((await configOf({ file, set: ['backend=tinker'] })).backend).toEqual({
      name: 'tinker',
      options: { tinker: { rank: 8 } },
    });
  });

  test('takes the last of two, and a later part of a whole', async () => {
    const set = [
      'trainer.seed=1',
      'trainer.seed=2',
      'algorithm.adam={"beta1":0.5}',
      'algorithm.adam.beta2=0.6',
    ];
    const { trainer, algorithm } = await configOf({ set });
    expect(trainer.seed).toBe(2);
    expect(algorithm.adam).toMatchObject({ beta1: 0.5, beta2: 0.6 });
  });

  test.each([
    ['foo', '', 'not an assignment; expected path=value'],
    ['=3', '', 'not an assignment; expected path=value'],
    ['a..b=3', '', 'not an assignment; expected path=value'],
    ['trainer.sead=3', 'trainer.sead', 'Did you mean "seed"?'],
    ['trainer.seed=x', 'trainer.seed', 'expected a whole number of at least 0, given "x"'],
    ['trainer.seed=', 'trainer.seed', 'given an empty text'],
    ['trainer.projectName=', 'trainer.projectName', 'given an empty text'],
    ['plugins.1=a', 'plugins.1', 'cannot be set: there is a list at plugins'],
    ['trainer.seed.x=1', 'trainer.seed', 'expected a whole number of at least 0, given an object'],
    ['algorithm.estimatorMap.__proto__.x=1', 'algorithm.estimatorMap.__proto__', 'not allowed'],
    ['trainer.__proto__.x=1', 'trainer.__proto__', 'not allowed'],
  ])('%s is a fault that names the flag', async (flag, path, message) => {
    const report = await refused({ file: '{"plugins": []}', set: [flag] });
    expect(report.byPath[path]?.file).toBeNull();
    expect(report.message).toContain(`--set ${flag.split('=')[0]}`);
    expect(report.message).toContain(message);
    expect(Object.prototype).not.toHaveProperty('x');
  });

  test('cannot reach below a value of the file', async () => {
    const report = await refused({ file: '{"workflow": {"use": "a"}}', set: ['workflow.use.x=1'] });
    expect(report.message).toContain(
      '--set workflow.use.x: workflow.use.x: cannot be set: there is "a" at workflow.use',
    );
  });
});

describe('RLLM_ variables', () => {
  test.each([
    ['RLLM_ALGORITHM__ESTIMATOR', 'rloo', { algorithm: { estimator: 'rloo' } }],
    ['RLLM_ALGORITHM__NORM_ADV_BY_STD_IN_GRPO', 'false', { algorithm: { normAdvByStdInGrpo: false } }],
    ['RLLM_ROLLOUT__TRAIN__TOP_P', '0.5', { rollout: { train: { topP: 0.5 } } }],
    ['RLLM_ROLLOUT__N_VAL', '8', { rollout: { nVal: 8 } }],
    ['RLLM_TRAINER__EXPERIMENT_NAME', '8', { trainer: { experimentName: '8' } }],
    ['RLLM_WORKFLOW__TIMEOUT_MS', 'null', { workflow: { timeoutMs: null } }],
    ['RLLM_PLUGINS', '["a"]', { plugins: [{ use: 'a' }] }],
    ['RLLM_PLUGINS__0__OPTIONS__MAX_TURNS', '3', { plugins: [{ use: 'p', options: { maxTurns: 3 } }] }],
    ['RLLM_ALGORITHM__ESTIMATOR_MAP__JUDGE_A', 'rloo', { algorithm: { estimatorMap: { judgeA: 'rloo' } } }],
    ['RLLM_ALGORITHM__ESTIMATOR_MAP__judge_a', 'rloo', { algorithm: { estimatorMap: { judge_a: 'rloo' } } }],
    [
      'RLLM_ALGORITHM__ESTIMATOR_MAP__THE_SOLVER',
      'rloo',
      { algorithm: { estimatorMap: { the_solver: 'rloo' } } },
    ],
    ['RLLM_BACKEND', 'tinker', { backend: { name: 'tinker' } }],
    [
      'RLLM_BACKEND__OPTIONS__LOCAL__LEARNING_RATE',
      '0.1',
      { backend: { options: { local: { learningRate: 0.1 } } } },
    ],
  ])('%s=%s', async (variable, text, expected) => {
    const file = '{"plugins": ["p"], "algorithm": {"estimatorMap": {"the_solver": "grpo"}}}';
    expect(await configOf({ file, env: { [variable]: text } })).toMatchObject(expected);
  });

  test('the variable of a path is spelled by rule', () => {
    expect(variableOf(['algorithm', 'adam', 'beta1'])).toBe('RLLM_ALGORITHM__ADAM__BETA1');
    expect(variableOf(['rollout', 'train', 'maxTokens'])).toBe('RLLM_ROLLOUT__TRAIN__MAX_TOKENS');
  });

  test('a part is set after the whole it belongs to', async () => {
    const env = { RLLM_ROLLOUT__N: '4', RLLM_ROLLOUT: '{"n": 2, "nVal": 3}' };
    expect((await configOf({ env })).rollout).toMatchObject({ n: 4, nVal: 3 });
  });

  test.each([
    ['RLLM_ALGORITHM__ESTIMATR', 'RLLM_ALGORITHM__ESTIMATOR'],
    ['RLLM_TRAINER_SEED', 'RLLM_TRAINER__SEED'],
    ['RLLM_trainer__seed', 'RLLM_TRAINER__SEED'],
    ['RLLM_TRAINER__SEED__X', 'RLLM_TRAINER__SEED'],
    ['RLLM_QQQQQQQQQQQQQQQ', undefined],
    ['RLLM_', undefined],
  ])('%s sets nothing, and is a fault with the nearest variable', async (variable, nearest) => {
    const { faults } = await refused({ env: { [variable]: 'x' } });
    expect(faults).toMatchObject([{ file: null, where: variable }]);
    expect(faults[0]?.nearest).toBe(nearest);
  });

  test.each(['', 'x', '1.5', '-3'])('a value that is no count is a fault: %j', async (text) => {
    const { byPath } = await refused({ env: { RLLM_ROLLOUT__N: text } });
    expect(byPath['rollout.n']).toMatchObject({ where: 'RLLM_ROLLOUT__N', file: null });
  });

  test('variables of the Python package and of others are left alone', async () => {
    const env = Object.fromEntries([...FOREIGN_VARIABLES, 'PATH', 'RLLMX'].map((name) => [name, 'x']));
    expect(await configOf({ env })).toEqual(await configOf({}));
  });
});
