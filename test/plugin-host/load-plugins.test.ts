import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { definePlugin, type LoadPluginsResult, loadPlugins } from '../../src/plugin-host/index.js';
import { createProject, packageFiles } from './project.js';

const load = (
  directory: string,
  ...references: readonly (string | { readonly use: string; readonly options: Record<string, unknown> })[]
): Promise<LoadPluginsResult> =>
  loadPlugins(
    references.map((reference) =>
      typeof reference === 'string' ? { use: reference, options: {} } : reference,
    ),
    { file: join(directory, 'rllmrc.json'), directory },
  );

/** A plugin without parts, as a module in plain JavaScript. */
const plain = (name: string, more = ''): string =>
  `export default { name: '${name}', apiVersion: 1, ${more} };`;

const DECORATED = `
  import { AdvEstimator, type AdvantageBatch } from 'rllm-sdk';
  @AdvEstimator('mine')
  export class Mine { estimate({ rewards }: AdvantageBatch) { return { advantages: rewards } } }
`;

describe('a plugin is found', () => {
  test('by a package name, from the folder of the config file', async () => {
    const directory = await createProject(
      packageFiles('p', { exports: { import: './i.mjs' } }, { 'i.mjs': plain('p') }),
    );
    const { plugins, faults } = await load(directory, 'p');
    expect(faults).toEqual([]);
    expect(plugins).toMatchObject([
      {
        name: 'p',
        version: '1.2.3',
        spec: 'p',
        configPath: 'plugins[0]',
        path: join(directory, 'node_modules/p/i.mjs'),
      },
    ]);
  });

  test('by a file in JavaScript or TypeScript, beside the config file', async () => {
    const directory = await createProject({
      'a.mjs': plain('a'),
      'sub/b.ts': `${plain('b')} const x: number = 1;`,
    });
    const { plugins, faults } = await load(directory, './a.mjs', './sub/b.ts');
    expect(faults).toEqual([]);
    expect(plugins.map(({ name, version }) => [name, version])).toEqual([
      ['a', undefined],
      ['b', undefined],
    ]);
  });

  test('as CommonJS, whether it exports a definition or decorated values', async () => {
    const directory = await createProject({
      ...packageFiles('c', { main: 'i.cjs' }, { 'i.cjs': `module.exports = { name: 'c', apiVersion: 1 };` }),
      ...packageFiles(
        'd',
        { main: 'i.js' },
        {
          'i.js': `Object.defineProperty(exports, '__esModule', { value: true }); exports.default = { name: 'd', apiVersion: 1 };`,
        },
      ),
      'e.cts': `export = { name: 'e', apiVersion: 1 };`,
    });
    const { plugins, faults } = await load(directory, 'c', 'd', './e.cts');
    expect(faults).toEqual([]);
    expect(plugins.map(({ name }) => name)).toEqual(['c', 'd', 'e']);
  });
});

describe('what a module brings', () => {
  test('are its decorated exports, without a definition', async () => {
    const directory = await createProject({ 'mine.ts': DECORATED });
    const { plugins, faults } = await load(directory, './mine.ts');
    expect(faults).toEqual([]);
    expect(plugins[0]).toMatchObject({
      name: './mine.ts',
      brings: { estimators: ['mine'], backends: [], hooks: [] },
    });
  });

  test('are also declarations that it does not export, static methods and workflows', async () => {
    const directory = await createProject({
      'mine.ts': `
        import { AdvEstimator, defineWorkflow, GroupingHook } from 'rllm-sdk';
        AdvEstimator('hidden')(({ rewards }) => ({ advantages: rewards }));
        class Host { @AdvEstimator('static') static run({ rewards }: any) { return { advantages: rewards } } }
        GroupingHook('by-day')(() => []);
        export const flow = defineWorkflow('flow', async () => undefined);
      `,
    });
    const { plugins, faults } = await load(directory, './mine.ts');
    expect(faults).toEqual([]);
    expect(plugins[0]?.brings).toMatchObject({
      estimators: ['hidden', 'static'],
      groupingHooks: ['by-day'],
      workflows: ['flow'],
    });
  });

  test('are both a definition and decorated exports, each once', async () => {
    const directory = await createProject({
      'mine.ts': `${DECORATED}
        import { definePlugin } from 'rllm-sdk';
        export default definePlugin({ name: 'both', apiVersion: 1, estimators: [Mine], hooks: { onTrainStart() {} } });
      `,
    });
    const { plugins, faults } = await load(directory, './mine.ts');
    expect(faults).toEqual([]);
    expect(plugins[0]).toMatchObject({
      name: 'both',
      brings: { estimators: ['mine'], hooks: ['onTrainStart'] },
    });
  });

  test('is the same the second time, although its module runs once', async () => {
    const directory = await createProject({ 'mine.ts': DECORATED.replace('export class', 'class') });
    const first = await load(directory, './mine.ts');
    const second = await load(directory, './mine.ts');
    expect(first.plugins[0]?.brings.estimators).toEqual(['mine']);
    expect(second.plugins[0]?.declarations).toEqual(first.plugins[0]?.declarations);
  });

  test('is told apart when two loads run at once', async () => {
    const directory = await createProject({
      'a.ts': `import { AdvEstimator } from 'rllm-sdk'; await new Promise((r) => setTimeout(r, 20)); AdvEstimator('a')(() => ({ advantages: [] })); export {};`,
      'b.ts': `import { AdvEstimator } from 'rllm-sdk'; AdvEstimator('b')(() => ({ advantages: [] })); export {};`,
    });
    const [a, b] = await Promise.all([load(directory, './a.ts'), load(directory, './b.ts')]);
    expect(a.plugins[0]?.brings.estimators).toEqual(['a']);
    expect(b.plugins[0]?.brings.estimators).toEqual(['b']);
  });

  test('belongs to the plugin that exports it, also when another imports it first', async () => {
    const directory = await createProject({
      'mine.ts': DECORATED,
      'user.ts': `
        import { AdvEstimator } from 'rllm-sdk';
        import { Mine } from './mine.ts';
        AdvEstimator('own')((batch) => new Mine().estimate(batch));
      `,
    });
    const { plugins, faults } = await load(directory, './user.ts', './mine.ts');
    expect(faults).toEqual([]);
    expect(plugins.map(({ brings }) => brings.estimators)).toEqual([['own'], ['mine']]);
  });

  test('may not be nothing', async () => {
    const directory = await createProject({ 'empty.mjs': 'export const x = 1;' });
    const { faults } = await load(directory, './empty.mjs');
    expect(faults).toHaveLength(1);
    expect(faults[0]?.message).toContain('brings nothing');
  });
});

describe('options', () => {
  const definition = definePlugin({
    name: 'p',
    apiVersion: 1,
    options: z.strictObject({ lr: z.number().default(3) }),
  });
  const given = (
    options: Readonly<Record<string, unknown>>,
    use: unknown = definition,
  ): Promise<LoadPluginsResult> =>
    loadPlugins([], { directory: '.', inline: [{ use: use as typeof definition, options }] });

  test('come validated, with the defaults of the schema', async () => {
    const { plugins } = await given({});
    expect(plugins[0]?.options).toEqual({ lr: 3 });
  });

  test('that a schema refuses are located, one fault each', async () => {
    const directory = await createProject({
      'p.ts': `
        import { definePlugin } from 'rllm-sdk';
        const validate = (value: any) => ({ issues: [
          { message: 'must be a number', path: ['layers', 2, { key: 'size' }] },
          { message: 'unknown key "x"' },
        ] });
        export default definePlugin({ name: 'p', apiVersion: 1, options: { '~standard': { version: 1, vendor: 'own', validate } } });
      `,
    });
    const { plugins, faults } = await load(directory, './p.ts');
    expect(plugins).toEqual([]);
    expect(faults).toMatchObject([
      { plugin: 'p', file: join(directory, 'rllmrc.json'), path: 'plugins[0].options.layers[2].size' },
      { plugin: 'p', path: 'plugins[0].options' },
    ]);
    expect(faults[0]?.message).toContain('must be a number');
  });

  test.each([
    { what: 'async', validate: async (value: unknown) => ({ value }), message: undefined },
    {
      what: 'one that refuses later',
      validate: async () => ({ issues: [{ message: 'too late' }] }),
      message: 'too late',
    },
    {
      what: 'one that throws',
      validate: () => {
        throw new TypeError('broken');
      },
      message: 'the schema threw: broken',
    },
  ])('may be checked by a schema that is $what', async ({ validate, message }) => {
    const options = { '~standard': { version: 1 as const, vendor: 'own', validate } };
    const { plugins, faults } = await given({ a: 1 }, definePlugin({ name: 'q', apiVersion: 1, options }));
    if (message === undefined) expect(plugins[0]?.options).toEqual({ a: 1 });
    else expect(faults).toMatchObject([{ plugin: 'q', message: expect.stringContaining(message) }]);
  });

  test('are refused by a plugin that has no schema for them', async () => {
    const { faults } = await given({ lr: 1 }, definePlugin({ name: 'q', apiVersion: 1 }));
    expect(faults).toMatchObject([{ plugin: 'q', path: 'options.plugins[0].options.lr' }]);
  });
});

describe('a plugin that cannot be loaded', () => {
  test.each([
    ['nope', 'is not an installed package'],
    ['./nope.ts', 'is a file that does not exist'],
    ['./folder', 'is a folder'],
    ['./folder/', 'is a folder'],
    ['node:fs', 'only packages and files are loaded'],
    ['fs', 'only packages and files are loaded'],
    ['data:text/javascript,export default 1', 'only packages and files are loaded'],
    ['https://example.org/p.js', 'only packages and files are loaded'],
    ['hidden', 'could not be resolved'],
    ['unbuilt', 'has an entry that does not exist'],
  ])('is a fault with its place: %s', async (use, message) => {
    const directory = await createProject({
      'folder/x.txt': '',
      ...packageFiles('hidden', { exports: { './sub': './i.js' } }, { 'i.js': plain('hidden') }),
      ...packageFiles('unbuilt', { exports: './dist/i.js' }, {}),
    });
    const { plugins, faults } = await load(directory, use);
    expect(plugins).toEqual([]);
    expect(faults).toMatchObject([{ plugin: use, file: join(directory, 'rllmrc.json'), path: 'plugins[0]' }]);
    expect(faults[0]?.message).toContain(message);
  });

  test.each([
    ['./mien.ts', './mine.ts'],
    ['./mine', './mine.ts'],
    ['mine.ts', './mine.ts'],
  ])('is told the nearest file: %s', async (use, near) => {
    const directory = await createProject({ 'mine.ts': DECORATED });
    const { faults } = await load(directory, use);
    expect(faults[0]?.nearest).toBe(near);
  });

  test('because it was made for another SDK has not run', async () => {
    const peer = (range: string): object => ({ main: 'i.cjs', peerDependencies: { 'rllm-sdk': range } });
    const directory = await createProject({
      ...packageFiles('old', peer('^0.0.9'), { 'i.cjs': `globalThis.oldPluginRan = true; ` }),
      ...packageFiles('odd', peer('latest and greatest'), { 'i.cjs': `globalThis.oldPluginRan = true; ` }),
    });
    const { faults } = await load(directory, 'old', 'odd');
    expect(faults.map(({ message }) => message)).toEqual([
      expect.stringContaining('was made for rllm-sdk ^0.0.9, and this is'),
      expect.stringContaining('asks for rllm-sdk "latest and greatest", which is no version range'),
    ]);
    expect('oldPluginRan' in globalThis).toBe(false);
  });

  test.each(['>=0.1.0', '0.x', '*', 'workspace:^'])(
    'is none when it was made for rllm-sdk %s',
    async (range) => {
      const manifest = { main: 'i.cjs', peerDependencies: { 'rllm-sdk': range } };
      const directory = await createProject(
        packageFiles('p', manifest, { 'i.cjs': `exports.default = { name: 'p', apiVersion: 1 };` }),
      );
      expect((await load(directory, 'p')).faults).toEqual([]);
    },
  );

  test('because it speaks another API version is refused before anything of its definition runs', async () => {
    const directory = await createProject({
      'p.mjs': `export default { name: 'p', apiVersion: 2, get options() { throw new Error('ran') } };`,
    });
    const { faults } = await load(directory, './p.mjs');
    expect(faults.map(({ message }) => message)).toEqual([
      expect.stringContaining('apiVersion is 2; this SDK speaks 1'),
    ]);
  });

  test('because it throws keeps what it threw, and leaves nothing behind', async () => {
    const directory = await createProject({
      'half.ts': `import { AdvEstimator } from 'rllm-sdk'; AdvEstimator('half')(() => ({ advantages: [] })); throw new TypeError('boom');`,
      'fine.ts': DECORATED,
    });
    const { plugins, faults } = await load(directory, './half.ts', './fine.ts');
    expect(faults).toMatchObject([{ plugin: './half.ts', cause: { name: 'TypeError', message: 'boom' } }]);
    expect(faults[0]?.message).toContain('threw while it was loaded: boom');
    expect(plugins.map(({ brings }) => brings.estimators)).toEqual([['mine']]);
  });

  test('does not hide the faults of others: all are reported at once', async () => {
    const directory = await createProject({
      'throws.mjs': `throw new Error('boom');`,
      'shape.ts': `import { definePlugin } from 'rllm-sdk'; export default definePlugin({ name: 's', apiVersion: 1, tracker: [], setup: 3 } as any);`,
    });
    const { faults } = await load(directory, 'nope', './throws.mjs', './shape.ts', './gone.mjs');
    expect(faults.map(({ path }) => path)).toEqual([
      'plugins[0]',
      'plugins[1]',
      'plugins[2]',
      'plugins[2]',
      'plugins[3]',
    ]);
  });
});

describe('two plugins', () => {
  test('may not share a name', async () => {
    const directory = await createProject({ 'a.mjs': plain('same'), 'b.mjs': plain('same') });
    const { plugins, faults } = await load(directory, './a.mjs', './b.mjs');
    expect(plugins).toHaveLength(1);
    expect(faults).toMatchObject([{ path: 'plugins[1]', plugin: 'same' }]);
    for (const file of ['a.mjs', 'b.mjs']) expect(faults[0]?.message).toContain(join(directory, file));
  });

  test('may not be one file', async () => {
    const directory = await createProject({ 'a.mjs': plain('a') });
    mkdirSync(join(directory, 'sub'));
    const { faults } = await load(directory, './a.mjs', './sub/../a.mjs');
    expect(faults).toMatchObject([{ path: 'plugins[1]' }]);
    expect(faults[0]?.message).toContain('is the same file as plugins[0]');
  });
});
