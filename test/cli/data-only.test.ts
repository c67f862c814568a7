import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { withoutNoOp } from '../no-op/without-no-op.js';
import { CONFIG, guessProject } from './guess-project.js';
import { project } from './project.js';
import { rllm } from './rllm.js';

/** A file that leaves its mark when it is evaluated, as CommonJS or as ESM. */
const trap = (mark: string): string =>
  `process.getBuiltinModule('node:fs').writeFileSync(${JSON.stringify(mark)}, '');`;

/** Every place at which cosmiconfig, or we, would run code to find the options of a search, and a config. */
const OPTIONS = ['.config/config.cjs', '.config/config.js', '.config/config.mjs', '.config/config.ts'];
const CONFIGS = [
  'rllm.config.js',
  'rllm.config.ts',
  'rllm.config.cjs',
  '.rllmrc.cjs',
  '.rllmrc.js',
  '.config/rllmrc.cjs',
];

/** A repository full of traps, and a folder in it with a config of data and some traps. */
function trapped(inner: readonly string[] = OPTIONS): {
  readonly cwd: string;
  executed(): readonly string[];
} {
  const root = project({ '.git/HEAD': '' });
  const marks: string[] = [];
  const files: Record<string, string> = {};
  for (const name of [...OPTIONS, ...CONFIGS, ...inner.map((name) => `inner/${name}`)]) {
    const mark = join(root, `mark-${marks.length}`);
    marks.push(mark);
    files[name] = trap(mark);
  }
  const folder = project({
    ...files,
    '.git/HEAD': '',
    'inner/.rllmrc.json': { trainer: { seed: 7 } },
    'package.json': { type: 'commonjs' },
  });
  return { cwd: join(folder, 'inner'), executed: () => marks.filter((mark) => existsSync(mark)) };
}

test.each([
  ['with --config-data-only', ['--config-data-only'], {}],
  ['with RLLM_CONFIG_DATA_ONLY=1', [], { RLLM_CONFIG_DATA_ONLY: '1' }],
  ['without, as the file found is data', [], {}],
])('no code runs to find or read a config of data, %s', async (_how, flags, env) => {
  const { cwd, executed } = trapped();
  const { code, stdout } = await rllm(cwd, ['config', 'print', '--json', ...flags], env);
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ config: { trainer: { seed: 7 } } });
  expect(executed()).toEqual([]);
});

test('a trap goes off where it is asked for, so that the test above tests something', async () => {
  const { cwd, executed } = trapped(CONFIGS);
  await rllm(cwd, ['config', 'print', '--config', 'rllm.config.cjs']);
  expect(executed()).toHaveLength(1);
});

test('a config of data and one that is code in one folder are told of, and none is run', async () => {
  const { cwd, executed } = trapped([...OPTIONS, ...CONFIGS]);
  const { code, stderr } = await rllm(cwd, ['config', 'print', '--config-data-only']);
  expect(code).toBe(2);
  expect(stderr).toContain('error CONFIG_AMBIGUOUS');
  expect(executed()).toEqual([]);
});

test.each([
  ['train', ['train']],
  ['eval', ['eval']],
  ['config validate', ['config', 'validate']],
  ['config schema', ['config', 'schema', '--with-plugins']],
  ['estimators list', ['estimators', 'list']],
  ['estimators compare', ['estimators', 'compare']],
  ['plugins list', ['plugins', 'list']],
  ['a command that a plugin may have', ['tinker']],
])('%s refuses a config that is code', async (_command, words) => {
  const folder = project({ 'rllm.config.mjs': trap('executed') });
  const { code, stderr } = await rllm(folder, [...words, '--config-data-only']);
  expect(code).toBe(2);
  expect(stderr).toContain('error CONFIG_IS_CODE');
  expect(stderr).toContain(join(folder, 'rllm.config.mjs'));
  expect(existsSync(join(folder, 'executed'))).toBe(false);
});

test('a run whose config is code is refused as well, by what reads the config of a run', async () => {
  const config = `export default ${JSON.stringify({ ...CONFIG, trainer: { totalBatches: 1, saveFreq: 1 } })};`;
  const folder = guessProject({ 'mine.mjs': config });
  expect((await rllm(folder, ['train', '--config', 'mine.mjs', '--run-dir', 'run'])).code).toBe(0);
  for (const words of [
    ['train', '--resume', 'run'],
    ['eval', '--run', 'run'],
    ['estimators', 'compare', '--run', 'run'],
    ['advantages', 'recompute', 'run', '--estimator', 'rloo'],
  ]) {
    const { stderr } = await rllm(folder, [...words, '--config-data-only']);
    expect(stderr).toContain('error CONFIG_IS_CODE');
  }
});

test('plugins that the config names load all the same, unless there is --no-plugins', async () => {
  const plugin = `export default { name: 'mine', apiVersion: 1, commands: [] };`;
  const folder = project({ 'mine.mjs': plugin, 'rllmrc.json': { plugins: ['./mine.mjs'] } });
  const listed = await rllm(folder, ['plugins', 'list', '--json', '--config-data-only']);
  expect(withoutNoOp(JSON.parse(listed.stdout))).toMatchObject([{ name: 'mine' }]);
  const without = await rllm(folder, ['plugins', 'list', '--json', '--config-data-only', '--no-plugins']);
  expect(withoutNoOp(JSON.parse(without.stdout))).toEqual([]);
});
