import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { SDK_VERSION } from '../../src/version.js';
import { CONFIG, guessProject } from '../cli/guess-project.js';
import { line } from '../cli/in-process.js';
import { packageFiles } from './project.js';

interface Row {
  readonly what: string;
  /** What the config names beside the plugin of the project, which is in order. */
  readonly use: string | { readonly use: string; readonly options: object };
  readonly files?: Readonly<Record<string, string | object>>;
  /** Settings beside `plugins`. */
  readonly config?: object;
  readonly code: string;
}

interface StartRow extends Row {
  /** The place in the config, `rllmrc.json: ` before it, and how the sentence begins. `DIR` stands for the project's folder. */
  readonly says: readonly string[];
}

interface RunRow extends Row {
  readonly says: string;
}

const PLUGIN = 'bad@1.2.3';

/** An installed package `bad`, in ESM. */
const bad = (text: string, manifest: object = {}) =>
  packageFiles('bad', { type: 'module', main: 'index.js', ...manifest }, { 'index.js': text });

/** The same, as a definition with these fields. */
const defined = (fields: string, before = '') =>
  bad(`import * as sdk from 'rllm-sdk';
       ${before}
       export default { name: 'bad', apiVersion: 1, ${fields} };`);

const SCHEMA = `options: { '~standard': { version: 1, vendor: 'own', validate: (value) =>
  typeof value.rate === 'number' ? { value } : { issues: [{ message: 'must be a number', path: ['rate'] }] } } }`;

const EMPTY = `({ advantages: [] })`;

const AT_START: readonly StartRow[] = [
  {
    what: 'that is missing',
    use: 'bad',
    code: 'PLUGIN_INVALID',
    says: ['plugins[1]: Plugin "bad" is not an installed package, seen from DIR.'],
  },
  {
    what: 'whose file is missing',
    use: './bda.mjs',
    files: { 'bad.mjs': '' },
    code: 'PLUGIN_INVALID',
    says: [
      'plugins[1]: Plugin "./bda.mjs" is a file that does not exist: DIR/bda.mjs. Did you mean "./bad.mjs"?',
    ],
  },
  {
    what: 'that is no file',
    use: './folder',
    files: { 'folder/index.js': '' },
    code: 'PLUGIN_INVALID',
    says: ['plugins[1]: Plugin "./folder" is a folder (DIR/folder); name the file to load.'],
  },
  {
    what: 'that was not built',
    use: 'bad',
    files: packageFiles('bad', { exports: './dist/index.js' }, { 'src/index.ts': '' }),
    code: 'PLUGIN_INVALID',
    says: [
      'plugins[1]: Plugin "bad" has an entry that does not exist: DIR/node_modules/bad/dist/index.js (was it built?).',
    ],
  },
  {
    what: 'for another version of the SDK',
    use: 'bad',
    files: bad('throw new Error("ran");', { peerDependencies: { 'rllm-sdk': '^0.0.9' } }),
    code: 'PLUGIN_INVALID',
    says: [`plugins[1]: Plugin "bad" was made for rllm-sdk ^0.0.9, and this is ${SDK_VERSION}.`],
  },
  {
    what: 'for another version of the contract',
    use: 'bad',
    files: bad(`export default { name: 'bad', apiVersion: 2, get setup() { throw new Error('ran') } };`),
    code: 'PLUGIN_INVALID',
    says: ['plugins[1]: Plugin "bad" is not a valid plugin: apiVersion is 2; this SDK speaks 1.'],
  },
  {
    what: 'that throws when it is imported',
    use: 'bad',
    files: bad('throw new TypeError("no such table");'),
    code: 'PLUGIN_INVALID',
    says: ['plugins[1]: Plugin "bad" threw while it was loaded: no such table.'],
  },
  {
    what: 'that throws in setup()',
    use: 'bad',
    files: defined(`setup() { throw new TypeError('no such table') }`),
    code: 'PLUGIN_INVALID',
    says: ['plugins[1]: Plugin "bad" threw in setup(): no such table.'],
  },
  {
    what: 'that binds in setup() what is bound',
    use: 'bad',
    files: defined(`setup({ bind }) { bind(sdk.CONFIG, { value: {} }) }`),
    code: 'PLUGIN_INVALID',
    says: [
      'plugins[1]: Plugin "bad" could not be set up: bind(rllm/Config) comes too late: the app uses that part already.',
    ],
  },
  {
    what: 'with a wrong option',
    use: { use: 'bad', options: { rate: 'fast' } },
    files: defined(SCHEMA),
    code: 'PLUGIN_INVALID',
    says: ['plugins[1].options.rate: Plugin "bad" has an option that it cannot take: must be a number.'],
  },
  {
    what: 'with options, and takes none',
    use: { use: 'bad', options: { rate: 1 } },
    files: defined(''),
    code: 'PLUGIN_INVALID',
    says: ['plugins[1].options.rate: Plugin "bad" has an option that it cannot take: it takes none.'],
  },
  {
    what: 'that brings a name of a built-in part',
    use: 'bad',
    files: defined(`estimators: [sdk.AdvEstimator('grpo')(() => ${EMPTY})]`),
    code: 'PLUGIN_INVALID',
    says: [
      'plugins[1]: Plugin "bad" cannot be installed: Two parts bring the advantage estimator "grpo": built-in and bad@1.2.3.',
    ],
  },
  {
    what: 'that brings a name of another plugin',
    use: 'bad',
    files: defined(`workflows: [{ name: 'guess', run() {} }]`),
    code: 'PLUGIN_INVALID',
    says: [
      'plugins[1]: Plugin "bad" cannot be installed: Two parts bring the workflow "guess": guess and bad@1.2.3.',
    ],
  },
  {
    what: 'that has the name of another plugin',
    use: './other.mjs',
    files: { 'other.mjs': `export default { name: 'guess', apiVersion: 1 };` },
    code: 'PLUGIN_INVALID',
    says: ['plugins[1]: Plugin "guess" has the name of an earlier plugin: DIR/guess.ts and DIR/other.mjs.'],
  },
  {
    what: 'that exports nothing',
    use: 'bad',
    files: bad('export const x = 1;'),
    code: 'PLUGIN_INVALID',
    says: [
      'plugins[1]: Plugin "bad" brings nothing: DIR/node_modules/bad/index.js exports neither a definePlugin() object nor anything decorated.',
    ],
  },
  {
    what: 'of the wrong shape',
    use: 'bad',
    files: defined(`tracker: [], setup: 3, estimators: [() => ${EMPTY}]`),
    code: 'PLUGIN_INVALID',
    says: [
      'plugins[1]: Plugin "bad" is not a valid plugin: tracker is no field of a plugin. Did you mean "trackers"?',
      'plugins[1]: Plugin "bad" is not a valid plugin: setup must be a function, got 3.',
      'plugins[1]: Plugin "bad" is not a valid plugin: estimators[0] has no name, got a function: decorate it with @AdvEstimator(\'name\').',
    ],
  },
  {
    what: 'whose estimator cannot be constructed',
    use: 'bad',
    files: defined(
      'estimators: [Mine]',
      `class Mine { constructor() { throw new Error('no such table') } estimate() {} } sdk.AdvEstimator('mine')(Mine);`,
    ),
    config: { algorithm: { estimator: 'mine' } },
    code: 'CONFIG_INVALID',
    says: [
      `algorithm.estimator: The advantage estimator "mine" of ${PLUGIN}: The constructor of class Mine threw: no such table.`,
    ],
  },
];

const estimator = (body: string) => ({
  use: 'bad',
  files: defined(`estimators: [sdk.AdvEstimator('mine')(({ rewards }) => (${body}))]`),
  config: { algorithm: { estimator: 'mine' } },
});

const reward = (body: string) => ({
  use: 'bad',
  files: defined(`rewards: [sdk.RewardFunction('mine')(() => { ${body} })]`),
  config: { reward: { functions: ['mine'] } },
});

const IN_A_RUN: readonly RunRow[] = [
  {
    what: 'an estimator that returns NaN',
    ...estimator('{ advantages: rewards.map((group) => group.map(() => NaN)) }'),
    code: 'ESTIMATOR_OUTPUT',
    says: `The advantage estimator "mine" of ${PLUGIN} was to return a finite number as advantage 0 for role "player"`,
  },
  {
    what: 'an estimator that returns too few numbers',
    ...estimator('{ advantages: rewards.map((group) => group.slice(1)) }'),
    code: 'ESTIMATOR_OUTPUT',
    says: `The advantage estimator "mine" of ${PLUGIN} was to return 4 advantages for role "player"`,
  },
  {
    what: 'an estimator that throws',
    ...estimator('(() => { throw new Error("no such table") })()'),
    code: 'ESTIMATOR_THREW',
    says: `The advantage estimator "mine" of ${PLUGIN} threw for role "player": no such table`,
  },
  {
    what: 'a grouping hook that returns a number',
    use: 'bad',
    files: defined(`groupingHooks: [sdk.GroupingHook('mine')(() => 7)]`),
    config: { transform: { groupingHook: 'mine' } },
    code: 'GROUPING_HOOK',
    says: `The grouping hook "mine" of ${PLUGIN}: The grouping hook was to return a list of groups, and returned a value of type number.`,
  },
  {
    what: 'a reward function that returns a text',
    ...reward('return "good";'),
    code: 'REWARD_NOT_FINITE',
    says: `Rewards failed in rollout 0 of task "a", at its only attempt: The reward function "mine" of ${PLUGIN} must give a finite number, and gave a value of type string`,
  },
  {
    what: 'a reward function that throws',
    ...reward('throw new Error("no such table");'),
    code: 'REWARD_FAILED',
    says: `Rewards failed in rollout 0 of task "a", at its only attempt: The reward function "mine" of ${PLUGIN} threw for role "player": no such table`,
  },
  {
    what: 'a lifecycle hook that throws',
    use: 'bad',
    files: defined('hooks: { onBatchEnd() { throw new Error("no such table") } }'),
    code: 'HOOK_FAILED',
    says: 'The plugin "bad" failed in its hook onBatchEnd: no such table',
  },
];

/** A project that names the plugin of a row, and the command that trains it into `run`. */
function prepared({ use, files = {}, config = {} }: Row) {
  const folder = guessProject({
    ...files,
    'rllmrc.json': { ...CONFIG, ...config, plugins: [...CONFIG.plugins, use] },
  });
  const train = ['train', '--quiet', '--run-dir', 'run', '--set', 'trainer.totalBatches=2'];
  return { folder, train: () => line(folder, [...train, '--set', 'workflow.retryLimit=1']) };
}

describe('nothing begins with a plugin', () => {
  test.each(AT_START)('$what', async (row) => {
    const { folder, train } = prepared(row);
    const { code, stderr } = await train();
    const [title = '', ...lines] = stderr.replaceAll(folder, 'DIR').trim().split('\n');
    expect(title.split('  ')[0]).toBe(`error ${row.code}`);
    const faults = lines.flatMap((one) => /^ {2}rllmrc\.json:\d+:\d+: (.*)$/.exec(one)?.[1] ?? []);
    expect(faults).toHaveLength(row.says.length);
    for (const [i, sentence] of row.says.entries())
      expect(faults[i]?.slice(0, sentence.length)).toBe(sentence);
    expect(lines.at(-1)).toMatch(/^fix {2}\S/);
    expect(code).toBe(2);
    expect(existsSync(join(folder, 'run'))).toBe(false);
  });

  test('and the folder given for the run stays as it was', async () => {
    const [row] = AT_START;
    if (row === undefined) throw new Error('no rows');
    const { folder, train } = prepared(row);
    mkdirSync(join(folder, 'run'));
    expect((await train()).code).toBe(2);
    expect(readdirSync(join(folder, 'run'))).toEqual([]);
  });
});

describe('a run is over, and says so, after', () => {
  test.each(IN_A_RUN)('$what', async (row) => {
    const { folder, train } = prepared(row);
    const { code, stderr } = await train();
    const said = `error ${row.code}  ${row.says}`;
    expect(stderr.slice(0, said.length)).toBe(said);
    expect(code).toBe(1);
    const manifest = JSON.parse(readFileSync(join(folder, 'run/manifest.json'), 'utf8'));
    expect(manifest.ended).toMatchObject({ status: 'failed', error: { code: row.code } });
    expect(existsSync(join(folder, 'run/checkpoints'))).toBe(false);
    expect(readdirSync(join(folder, 'run')).filter((name) => name.startsWith('.'))).toEqual([]);
  });
});
