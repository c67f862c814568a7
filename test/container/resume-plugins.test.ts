import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { AdvEstimator } from '../../src/advantage/index.js';
import { type AppOptions, createApp, type RunTarget } from '../../src/container/index.js';
import { definePlugin, type PluginDefinition } from '../../src/plugin-host/index.js';
import { withoutNoOp } from '../no-op/without-no-op.js';
import { errorOf, inMemory, memoryPlugin, TRAINS } from './app-kit.js';

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'rllm-resume-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const plugin = (name: string, version?: string, more: Partial<PluginDefinition> = {}): PluginDefinition =>
  definePlugin({ name, apiVersion: 1, ...(version === undefined ? {} : { version }), ...more });

/** Trains to the end of the plan, with these plugins besides that of the backend. */
async function trainWith(
  run: RunTarget,
  plugins: AppOptions['plugins'] = [],
  config: object = {},
): Promise<void> {
  await using app = await createApp(
    { ...TRAINS, ...config },
    inMemory({ plugins: [memoryPlugin(), ...plugins], run }),
  );
  await (await app.trainer()).fit();
}

interface Manifest {
  readonly plugins: readonly { readonly name: string }[];
  readonly resumed: readonly object[];
}

function manifestOf(directory: string): Manifest {
  const manifest = JSON.parse(readFileSync(join(directory, 'manifest.json'), 'utf8')) as Manifest;
  return { ...manifest, plugins: withoutNoOp(manifest.plugins) };
}

describe('the manifest of a run', () => {
  test('records each plugin with version, path, what it brings, setup included, and what it overrides', async () => {
    const directory = join(temporaryFolder(), 'run');
    const mine = plugin('mine', '1.2.0', {
      estimators: [AdvEstimator('mine')(({ rewards }) => ({ advantages: rewards }))],
      hooks: { onTrainEnd() {} },
      setup(context) {
        const grpo = AdvEstimator('grpo', { override: true })(({ rewards }) => ({ advantages: rewards }));
        context.addEstimator(grpo);
      },
    });
    await trainWith({ directory }, [mine]);
    expect(manifestOf(directory).plugins).toEqual([
      { name: 'memory', version: null, path: null, brings: { backends: ['in-memory'] }, overrides: {} },
      {
        name: 'mine',
        version: '1.2.0',
        path: null,
        brings: { estimators: ['mine', 'grpo'], hooks: ['onTrainEnd'] },
        overrides: { estimators: ['grpo'] },
      },
    ]);
  });
});

describe('a run that is resumed', () => {
  async function trained(...plugins: readonly PluginDefinition[]): Promise<string> {
    const directory = join(temporaryFolder(), 'run');
    await trainWith({ directory }, plugins);
    return directory;
  }

  test('goes on with the plugins that it was made with', async () => {
    const directory = await trained(plugin('a', '1.0.0'), plugin('b'));
    await trainWith({ resume: directory }, [plugin('b'), plugin('a', '1.0.0')]);
    expect(manifestOf(directory).resumed).toEqual([
      { time: expect.any(String), step: 2, ended: expect.objectContaining({ status: 'completed' }) },
    ]);
  });

  const made = [plugin('early-stop', '1.0.0'), plugin('own')];
  test.each([
    ['is missing', [plugin('own')], { name: 'early-stop', change: 'removed', before: '1.0.0' }],
    ['is new', [...made, plugin('maths', '0.1.0')], { name: 'maths', change: 'added', after: '0.1.0' }],
    [
      'has another version',
      [plugin('early-stop', '1.1.0'), plugin('own')],
      { name: 'early-stop', change: 'version', before: '1.0.0', after: '1.1.0' },
    ],
    [
      'has no version any more',
      [plugin('early-stop'), plugin('own')],
      { name: 'early-stop', change: 'version', before: '1.0.0', after: null },
    ],
  ] as const)('is refused when a plugin %s, unless told', async (_what, plugins, change) => {
    const directory = await trained(...made);
    const before = readFileSync(join(directory, 'manifest.json'), 'utf8');
    for (const resume of [directory, join(directory, 'checkpoints', 'step-000002')]) {
      const error = await errorOf(trainWith({ resume }, plugins));
      expect(error.code).toBe('PLUGIN_CHANGED');
      expect(error.details).toEqual({ changes: [change] });
    }
    expect(readFileSync(join(directory, 'manifest.json'), 'utf8')).toBe(before);

    await trainWith({ resume: directory, allowPluginChange: true }, plugins);
    const after = manifestOf(directory);
    expect(after.resumed).toMatchObject([{ step: 2, pluginChanges: [change] }]);
    expect(after.plugins.map(({ name }) => name)).toEqual(['memory', ...plugins.map(({ name }) => name)]);
    // From now on it is made with those.
    await trainWith({ resume: directory }, plugins);
    expect((await errorOf(trainWith({ resume: directory }, made))).code).toBe('PLUGIN_CHANGED');
  });

  test('is told every change in a table', async () => {
    const directory = await trained(plugin('early-stop', '1.0.0'), plugin('own'));
    const others = [plugin('early-stop', '2.0.0'), plugin('maths', '0.1.0')];
    const { message } = await errorOf(trainWith({ resume: directory }, others));
    expect(message.split('\n').slice(1)).toEqual([
      '  early-stop  1.0.0 → 2.0.0',
      '  own         no version → not named',
      '  maths       not named → 0.1.0',
    ]);
  });

  test('is refused before any plugin is set up, whatever else has become of the config', async () => {
    const directory = await trained();
    let isSetUp = false;
    const late = plugin('late', '1.0.0', {
      setup() {
        isSetUp = true;
      },
    });
    const config = { algorithm: { estimator: 'of-a-plugin-that-is-gone' } };
    expect((await errorOf(trainWith({ resume: directory }, [late], config))).code).toBe('PLUGIN_CHANGED');
    expect(isSetUp).toBe(false);
  });

  test('may have its plugins in another place', async () => {
    const folder = temporaryFolder();
    const directory = join(folder, 'run');
    writeFileSync(
      join(folder, 'mine.mjs'),
      "export default { name: 'mine', apiVersion: 1, hooks: { onTrainEnd() {} } };",
    );
    await trainWith({ directory }, [], { plugins: [{ use: join(folder, 'mine.mjs') }] });
    const moved = join(folder, 'moved.mjs');
    renameSync(join(folder, 'mine.mjs'), moved);
    await trainWith({ resume: directory }, [], { plugins: [{ use: moved }] });
    expect(manifestOf(directory).plugins).toMatchObject([{ name: 'mine', path: moved }, { name: 'memory' }]);
  });

  test('needs the options of its plugins unchanged, unless the plugins themselves may change', async () => {
    const folder = temporaryFolder();
    const directory = join(folder, 'run');
    const use = join(folder, 'mine.mjs');
    const taking = "{ '~standard': { version: 1, vendor: 'mine', validate: (value) => ({ value }) } }";
    writeFileSync(use, `export default { name: 'mine', apiVersion: 1, options: ${taking} };`);
    const withScale = (scale: number) => ({ plugins: [{ use, options: { scale } }] });
    await trainWith({ directory }, [], withScale(1));
    const error = await errorOf(trainWith({ resume: directory }, [], withScale(2)));
    expect(error).toMatchObject({
      code: 'CHECKPOINT_INVALID',
      details: { changed: ['plugins.0.options.scale'] },
    });
    await trainWith({ resume: directory, allowPluginChange: true }, [], {});
    expect(manifestOf(directory).resumed).toMatchObject([
      { pluginChanges: [{ name: 'mine', change: 'removed' }] },
    ]);
  });

  test('is refused as no run when the folder is none', async () => {
    const resume = temporaryFolder();
    expect((await errorOf(trainWith({ resume }))).code).toBe('RUN_DIR_INVALID');
  });
});
