import { chownSync, lchownSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { configFromCode, DEFAULT_CONFIG, faultAt, loadConfig, sourceOf } from '../../src/config/index.js';
import { faultsOfLoading } from './faults-of.js';
import { folderWith } from './workspace.js';

const ROLLOUT_4 = { rollout: { n: 4 } };
const JSON_4 = JSON.stringify(ROLLOUT_4);
const YAML_4 = 'rollout:\n  n: 4\n';

describe('the options of a call', () => {
  const untyped = loadConfig as (...args: readonly unknown[]) => Promise<unknown>;

  test('look from the working directory where they name no other', async () => {
    const { directory } = await loadConfig({ env: {}, file: 'rllmrc.example.json' });
    expect(directory).toBe(process.cwd());
  });

  test.each<[unknown, string]>([
    [{ fil: 'rllmrc.json' }, 'options.fil: is nothing that it takes. Did you mean "file"?'],
    ['rllmrc.json', 'options: must be an object, got "rllmrc.json".'],
    [{ set: 'trainer.seed=3' }, 'options.set: must be a list, got "trainer.seed=3".'],
  ])('are refused when there are none such: %j', async (options, message) => {
    await expect(untyped(options)).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringContaining(message),
    });
  });
});

describe('where a config file is found', () => {
  test.each([
    ['.rllmrc', YAML_4],
    ['.rllmrc', JSON_4],
    ['.rllmrc.json', JSON_4],
    ['.rllmrc.yaml', YAML_4],
    ['.rllmrc.yml', YAML_4],
    ['.config/rllmrc.json', JSON_4],
    ['rllmrc.json', JSON_4],
    ['rllmrc.yaml', YAML_4],
    ['package.json', JSON.stringify({ name: 'x', rllm: ROLLOUT_4 })],
    ['rllm.config.mjs', `export default ${JSON_4};`],
    ['rllm.config.cjs', `module.exports = ${JSON_4};`],
    ['rllm.config.ts', `const n: number = 4;\nexport default { rollout: { n } };`],
    ['rllm.config.mts', `export default ${JSON_4} as { rollout: { n: number } };`],
    ['rllm.config.cts', `module.exports = ${JSON_4} as object;`],
  ])('%s', async (name, content) => {
    const cwd = folderWith({ [name]: content });
    const { config, file, directory } = await loadConfig({ cwd, env: {} });
    expect(config.rollout.n).toBe(4);
    expect(file).toBe(join(cwd, name));
    expect(directory).toBe(join(cwd, name, '..'));
  });

  test('in the folders above, as far as the repository', async () => {
    const root = folderWith({ 'rllmrc.json': JSON_4, 'repo/.git/HEAD': '', 'repo/a/b/c': '' });
    const cwd = join(root, 'repo/a/b');
    await expect(loadConfig({ cwd, env: {} })).rejects.toMatchObject({ code: 'CONFIG_NOT_FOUND' });
    const inside = folderWith({
      'rllmrc.json': JSON_4,
      '.git/HEAD': '',
      'a/package.json': '{}',
      'a/b/c': '',
    });
    expect((await loadConfig({ cwd: join(inside, 'a/b'), env: {} })).file).toBe(join(inside, 'rllmrc.json'));
  });

  test('at the root of the workspaces that a package is in', async () => {
    const root = folderWith({
      'package.json': JSON.stringify({ workspaces: ['a'], rllm: ROLLOUT_4 }),
      'a/package.json': '{"name": "a"}',
    });
    expect((await loadConfig({ cwd: join(root, 'a'), env: {} })).file).toBe(join(root, 'package.json'));
  });

  test('in the folders above, without a repository', async () => {
    const root = folderWith({ 'rllmrc.json': JSON_4, 'package.json': '{}', 'sub/a/.keep': '' });
    expect((await loadConfig({ cwd: join(root, 'sub/a'), env: {} })).file).toBe(join(root, 'rllmrc.json'));
  });

  test('in the home folder, and not above it', async () => {
    const root = folderWith({ 'rllmrc.json': JSON_4, 'home/a/.keep': '' });
    const home = join(root, 'home');
    vi.stubEnv('HOME', home);
    vi.stubEnv('USERPROFILE', home);
    onTestFinished(() => void vi.unstubAllEnvs());
    const cwd = join(home, 'a');
    await expect(loadConfig({ cwd, env: {} })).rejects.toMatchObject({ code: 'CONFIG_NOT_FOUND' });
    writeFileSync(join(home, 'rllmrc.json'), JSON_4);
    expect((await loadConfig({ cwd, env: {} })).file).toBe(join(home, 'rllmrc.json'));
  });

  // Only root can give a file away.
  test.skipIf(process.getuid?.() !== 0)(
    'one of somebody else is not read unless it is named, or the working folder is theirs (needs to run as root)',
    async () => {
      const somebody = 12_345;
      const root = folderWith({ 'rllmrc.json': JSON_4, 'sub/.keep': '' });
      const [file, cwd] = [join(root, 'rllmrc.json'), join(root, 'sub')];
      chownSync(file, somebody, somebody);
      await expect(loadConfig({ cwd, env: {} })).rejects.toMatchObject({
        code: 'CONFIG_FOREIGN',
        details: { file },
      });
      expect((await loadConfig({ cwd, env: {}, file })).file).toBe(file);
      chownSync(cwd, somebody, somebody);
      expect((await loadConfig({ cwd, env: {} })).file).toBe(file);
    },
  );

  test.skipIf(process.getuid?.() !== 0)(
    'nor is a link of somebody else to a file that may be read (needs to run as root)',
    async () => {
      const somebody = 12_345;
      const root = folderWith({ 'own.json': JSON_4, 'sub/.keep': '' });
      const [file, cwd] = [join(root, 'rllmrc.json'), join(root, 'sub')];
      symlinkSync(join(root, 'own.json'), file);
      expect((await loadConfig({ cwd, env: {} })).file).toBe(file);
      lchownSync(file, somebody, somebody);
      await expect(loadConfig({ cwd, env: {} })).rejects.toMatchObject({
        code: 'CONFIG_FOREIGN',
        details: { file },
      });
    },
  );

  test('the defaults will do where no file is required', async () => {
    const cwd = folderWith({});
    const loaded = await loadConfig({ cwd, env: {}, required: false });
    expect(loaded.config).toEqual(DEFAULT_CONFIG);
    expect([loaded.file, loaded.directory]).toEqual([null, cwd]);
  });

  test('the file named is taken, relative to the working folder', async () => {
    const cwd = folderWith({ 'rllmrc.json': '{}', 'configs/mine.json': JSON_4 });
    const { config, directory } = await loadConfig({ cwd, file: 'configs/mine.json', env: {} });
    expect(config.rollout.n).toBe(4);
    expect(directory).toBe(join(cwd, 'configs'));
  });

  test('a file named that is not there is an error that names it', async () => {
    const cwd = folderWith({ 'rllmrc.json': '{}' });
    await expect(loadConfig({ cwd, file: 'mine.json', env: {} })).rejects.toMatchObject({
      code: 'CONFIG_NOT_FOUND',
      message: expect.stringContaining(join(cwd, 'mine.json')),
    });
  });

  test.each([
    ['a.json', '{"rollout": {"n": 4}, "trainer": {"sead": 1}}', '1:35'],
    ['a.yaml', 'rollout:\n  n: 4\ntrainer: {}\nsead: 1\n', '4:1'],
    ['a.yaml', 'sead: 1\nrollout:\n  n: 4\n', '1:1'],
    ['package.json', '{"rllm": {"rollout": {"n": 4}, "sead": 1}}', '1:32'],
  ])('a byte order mark is no part of %s: %j', async (file, content, place) => {
    const cwd = folderWith({ [file]: `\uFEFF${content}` });
    const { config, faults } = await loadConfig({ cwd, file, env: {}, onFault: 'collect' });
    expect(config.rollout.n).toBe(4);
    expect(faults.map(({ line, column }) => `${line}:${column}`)).toEqual([place]);
  });

  test('a TypeScript file is evaluated once, and nothing is written beside it', async () => {
    const cwd = folderWith({
      'rllm.config.ts': `const seen = globalThis as { times?: number };
        seen.times = (seen.times ?? 0) + 1;
        export default { trainer: { seed: seen.times } };`,
    });
    expect((await loadConfig({ cwd, env: {} })).config.trainer.seed).toBe(1);
    const { readdirSync } = await import('node:fs');
    expect(readdirSync(cwd)).toEqual(['rllm.config.ts']);
  });
});

describe('a file that cannot be read', () => {
  test.each([
    ['a.json', '{\n "trainer": {"seed": 3,},\n}', ':2:24'],
    ['a.json', '{"trainer": ', ':1:12'],
    ['a.json', '', ':1:1'],
    ['a.json', '// hi\n{}', ':1:1'],
    ['a.json', '{\n  "trainer": {"seed": True}\n}', ':2:23'],
    ['a.json', '{"rollout": {"n": nulL}} // True at position 3', ':1:22'],
    ['a.json', '[1,\n 2,\n]', ':3:1'],
    ['a.json', '{"a": 1}\n}', ':2:1'],
    ['a.yaml', 'trainer:\n  seed: 1\n data: 3\n', ':3:2'],
    ['a.yaml', 'trainer:\n  seed: 1\n  seed: 2\n', ':3:3'],
    ['a.ts', 'export default { trainer: ', ':1:27'],
    ['a.yaml', '', ''],
    ['a.ts', 'export const config = {};', ''],
    ['a.mjs', 'export const config = {};', ''],
    ['a.mjs', 'throw new Error("boom");', ''],
    ['package.json', '{"name": "x"}', ''],
  ])('%s %j', async (file, content, place) => {
    const cwd = folderWith({ [file]: content });
    await expect(loadConfig({ cwd, file, env: {} })).rejects.toMatchObject({
      code: 'CONFIG_UNREADABLE',
      message: expect.stringContaining(`${join(cwd, file)}${place} cannot be read: `),
    });
  });

  test.each([
    ['// hi\n{}', "Unexpected token '/' in JSON.\n    1 | // hi\n      | ^\n    2 | {}"],
    ['{"apiKey": "sk-1", "seed": True}', `'T' in JSON.\n    1 | {"apiKey": [hidden], "seed": True}`],
    ["{'seed': 1}", "Expected property name or '}' in JSON at position 1."],
  ])('of JSON says why: %j', async (content, reason) => {
    const { message } = await faultsOfLoading({ cwd: folderWith({ 'a.json': content }), file: 'a.json' });
    expect(message).toContain(reason);
    expect(message).not.toContain('sk-1');
  });

  test('is shown with the lines around the fault, without its secrets', async () => {
    const cwd = folderWith({ 'a.json': '{\n  "apiKey": "sk-123",\n  "seed": 1,\n}' });
    const { message } = await faultsOfLoading({ cwd, file: 'a.json' });
    expect(message).toContain('    4 | }\n      | ^');
    expect(message).toContain('"apiKey": [hidden]');
    expect(message).not.toContain('sk-123');
  });

  test.each([
    [
      'a.json',
      '{"workflow": {"options": {"apiKey": "sk-123"}},,}',
      'JSON at position',
      '"apiKey": [hidden]}},,}',
    ],
    ['a.json', '{ "model": "x", "apiKey": "sk-123", "token": "sk-123",, }', 'JSON', '"token": [hidden],, }'],
    ['a.json', '{ "apiKey": "sk-123\n45", "seed": 1 }', 'JSON', '{ "apiKey": [hidden]'],
    [
      'a.yaml',
      'headers: { Accept: json, Authorization: Bearer sk-123 ]',
      '',
      'json, Authorization: [hidden]',
    ],
    ['a.yaml', 'privateKey: |\n  sk-123\n  sk-123\n]', '', '| ]'],
    ['a.yaml', 'apiKeys:\n- sk-123\n- sk-123\nseed: ]', '', 'seed: ]'],
    ['a.yaml', 'password: !sk-123', 'unknown tag !<[hidden]>', 'password: [hidden]'],
    ['a.yaml', 'password: *sk-123', 'unidentified alias "[hidden]"', 'password: [hidden]'],
    [
      'a.ts',
      "export default { model: 'x', apiKey: 'sk-123', seed: 1 },,;",
      '',
      'apiKey: [hidden], seed: 1 },,;',
    ],
  ])('hides every secret of the lines of %s: %j', async (file, content, reason, line) => {
    const cwd = folderWith({ [file]: content });
    const { message } = await faultsOfLoading({ cwd, file });
    expect(message).toContain(reason);
    expect(message).toContain(line);
    const thrown: unknown = await loadConfig({ cwd, file, env: {} }).catch((error: unknown) => error);
    expect(inspect(thrown)).not.toContain('sk-123');
  });

  test('is marked at the fault, which stands behind a secret', async () => {
    const cwd = folderWith({ 'a.json': '{ "apiKey": "sk-123456789", }' });
    const { message } = await faultsOfLoading({ cwd, file: 'a.json' });
    const [, line = '', mark = ''] = message.split('\n');
    expect(line).toBe('    1 | { "apiKey": [hidden], }');
    expect(mark.indexOf('^')).toBe(line.indexOf('}'));
  });

  test('keeps what a module threw as its cause', async () => {
    const cwd = folderWith({ 'a.mjs': 'throw new TypeError("boom");' });
    await expect(loadConfig({ cwd, file: 'a.mjs', env: {} })).rejects.toMatchObject({
      cause: { message: 'boom' },
    });
  });
});

describe('a fault in a file', () => {
  const json = `{
  "plugins": ["a", { "use": "b", "option": 1 }],
  "algorithm": {
    "normAdvByStdd": true,
    "adam": { "beta1": 2 }
  },
  "trainer": { "stopWhen": { "metric": "m" } }
}`;
  const yaml = `# a comment: with a colon
plugins:
  - a
  - use: b
    option: 1
algorithm:
  "normAdvByStdd": true

  adam:
    beta1: 2
trainer:
  stopWhen: { metric: m }
`;
  test.each([
    ['rllmrc.json', json, ['2:34', '4:5', '5:15', '7:16']],
    ['rllmrc.yaml', yaml, ['5:5', '7:3', '10:5', '12:3']],
    ['package.json', `{ "rllm":\n${json} }`, ['3:34', '5:5', '6:15', '8:16']],
  ])('is told by line and column: %s', async (file, content, places) => {
    const { faults, message } = await faultsOfLoading({ cwd: folderWith({ [file]: content }) });
    expect(faults.map((fault) => [fault.path, `${fault.line}:${fault.column}`])).toEqual([
      ['plugins.1.option', places[0]],
      ['algorithm.normAdvByStdd', places[1]],
      ['algorithm.adam.beta1', places[2]],
      ['trainer.stopWhen.atLeast', places[3]],
    ]);
    expect(message).toContain(
      `${file}:${places[0]}: plugins.1.option: unknown key "option". Did you mean "options"?`,
    );
  });

  test('is told by the file alone where it is a module', async () => {
    const cwd = folderWith({ 'rllm.config.mjs': 'export default { trainer: { sead: 1 } };' });
    const { faults } = await faultsOfLoading({ cwd });
    expect(faults).toMatchObject([
      { file: join(cwd, 'rllm.config.mjs'), path: 'trainer.sead', line: undefined },
    ]);
  });

  test('has no file where the configuration is code', () => {
    const { faults } = configFromCode({ trainer: { sead: 1 } }, { onFault: 'collect' });
    expect(faults).toMatchObject([{ file: null, path: 'trainer.sead', nearest: 'seed' }]);
  });

  test('is a JSON key that stands twice, of which JSON.parse would take the last', async () => {
    const cwd = folderWith({ 'rllmrc.json': '{"rollout": {"n": 2},\n "rollout": {"n": 4}}' });
    const { faults } = await faultsOfLoading({ cwd });
    expect(faults).toMatchObject([{ path: 'rollout', line: 2, message: 'this key stands here twice' }]);
  });

  test('can be left to the caller, with the faulty values at their defaults', async () => {
    const cwd = folderWith({
      'rllmrc.json': '{"rollout": {"n": 0, "nVal": 3}, "algorithm": {"estimator": "gropo"}}',
    });
    const loaded = await loadConfig({ cwd, env: {}, onFault: 'collect' });
    expect(loaded.faults.map((fault) => fault.path)).toEqual(['rollout.n']);
    expect(loaded.config).toMatchObject({ rollout: { n: 8, nVal: 3 }, algorithm: { estimator: 'gropo' } });
    expect(sourceOf(loaded, 'rollout.n').from).toBe('default');
    expect(faultAt(loaded, 'algorithm.estimator', { message: 'no such estimator', nearest: 'grpo' })).toEqual(
      {
        file: join(cwd, 'rllmrc.json'),
        line: 1,
        column: 48,
        path: 'algorithm.estimator',
        message: 'no such estimator',
        nearest: 'grpo',
      },
    );
  });
});

describe('precedence', () => {
  const sources = {
    code: { overrides: { trainer: { seed: 1 } } },
    flag: { set: ['trainer.seed=2'] },
    environment: { env: { RLLM_TRAINER__SEED: '3' } },
    file: { file: 'with-seed.json' },
    default: {},
  };
  const seeds = { code: 1, flag: 2, environment: 3, file: 4, default: 0 };
  const order = ['code', 'flag', 'environment', 'file', 'default'] as const;
  const pairs = order.flatMap((strong, i) => order.slice(i + 1).map((weak) => [strong, weak] as const));

  test.each(pairs)('%s beats %s', async (strong, weak) => {
    const cwd = folderWith({ 'empty.json': '{}', 'with-seed.json': '{"trainer": {"seed": 4}}' });
    const loaded = await loadConfig({
      cwd,
      file: 'empty.json',
      env: {},
      ...sources[weak],
      ...sources[strong],
    });
    expect(loaded.config.trainer.seed).toBe(seeds[strong]);
    expect(sourceOf(loaded, 'trainer.seed').from).toBe(strong);
  });

  test('every leaf of the configuration knows its source', async () => {
    const cwd = folderWith({ 'rllmrc.json': '{"data": {"train": "x.jsonl"},\n "plugins": ["a"]}' });
    const loaded = await loadConfig({
      cwd,
      env: { RLLM_ROLLOUT__N: '2' },
      set: ['algorithm.estimatorMap.judge=rloo', 'backend.options.local.width=32'],
    });
    const file = join(cwd, 'rllmrc.json');
    const {
      'data.train.options.path': train,
      'plugins.0.use': plugin,
      'rollout.n': n,
      ...rest
    } = loaded.sources;
    expect(train).toEqual({ from: 'file', where: file, line: 1, column: 11 });
    expect(plugin).toEqual({ from: 'file', where: file, line: 2, column: 14 });
    expect(n).toMatchObject({ from: 'environment', where: 'RLLM_ROLLOUT__N' });
    expect(rest['algorithm.estimatorMap.judge']).toEqual({
      from: 'flag',
      where: '--set algorithm.estimatorMap.judge',
    });
    expect(rest['backend.options.local.width']?.from).toBe('flag');
    expect(rest['trainer.seed']).toEqual({ from: 'default', where: 'default' });
    expect(Object.keys(loaded.sources)).toHaveLength(Object.keys(configFromCode({}).sources).length + 2);
  });

  test('a section is from the strongest source of what it holds', async () => {
    const loaded = await loadConfig({
      cwd: folderWith({ 'rllmrc.json': '{"rollout": {"nVal": 2}}' }),
      env: {},
      set: ['rollout.n=2'],
    });
    expect(sourceOf(loaded, 'rollout').from).toBe('flag');
    expect(sourceOf(loaded, 'trainer').from).toBe('default');
  });
});
