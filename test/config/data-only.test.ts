import { readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { loadConfig } from '../../src/config/index.js';
import { folderWith } from './workspace.js';

const JSON_4 = '{ "rollout": { "n": 4 } }';

describe('only data', () => {
  test.each([
    ['.rllmrc', 'rollout:\n  n: 4\n'],
    ['.rllmrc.json', JSON_4],
    ['.rllmrc.yaml', 'rollout:\n  n: 4\n'],
    ['.rllmrc.yml', 'rollout:\n  n: 4\n'],
    ['rllmrc.json', JSON_4],
    ['.config/rllmrc.json', JSON_4],
    ['package.json', `{ "rllm": ${JSON_4} }`],
  ])('%s is found and read', async (name, text) => {
    const loaded = await loadConfig({ cwd: folderWith({ [name]: text }), env: {}, dataOnly: true });
    expect(loaded.config.rollout.n).toBe(4);
  });

  test.each(['rllm.config.ts', 'rllm.config.js', 'rllm.config.mts', '.rllmrc.cjs', '.config/rllmrc.mjs'])(
    '%s, that the search would end at, is an error that names it, and does not run',
    async (name) => {
      const cwd = folderWith({ [name]: trap, '.git/HEAD': '', 'a/b/.keep': '' });
      await expect(loadConfig({ cwd: join(cwd, 'a/b'), env: {}, dataOnly: true })).rejects.toMatchObject({
        code: 'CONFIG_IS_CODE',
        message: expect.stringContaining(join(cwd, name)),
      });
      expect(readdirSync(cwd)).not.toContain('executed');
    },
  );

  test('a module that is named is an error', async () => {
    const cwd = folderWith({ 'rllmrc.json': JSON_4, 'mine.ts': trap });
    const loading = loadConfig({ cwd, file: 'mine.ts', env: {}, dataOnly: true });
    await expect(loading).rejects.toMatchObject({
      code: 'CONFIG_IS_CODE',
      details: { file: join(cwd, 'mine.ts') },
    });
  });

  test('a module beside a data file is not run: which of them is meant is to be said', async () => {
    const cwd = folderWith({ '.rllmrc.json': JSON_4, 'rllm.config.js': trap });
    for (const dataOnly of [true, false]) {
      await expect(loadConfig({ cwd, env: {}, dataOnly })).rejects.toMatchObject({
        code: 'CONFIG_AMBIGUOUS',
        message: `${cwd} has 2 configurations: .rllmrc.json, rllm.config.js.`,
      });
      const named = await loadConfig({ cwd, env: {}, dataOnly, file: '.rllmrc.json' });
      expect(named.config.rollout.n).toBe(4);
    }
  });

  test('a link to the config file beside it is no second one', async () => {
    const cwd = folderWith({ 'rllmrc.json': JSON_4 });
    symlinkSync('rllmrc.json', join(cwd, '.rllmrc'));
    expect((await loadConfig({ cwd, env: {} })).config.rollout.n).toBe(4);
  });

  test.each(['1', 'true', 'yes'])('is what RLLM_CONFIG_DATA_ONLY=%s asks for', async (value) => {
    const cwd = folderWith({ 'rllm.config.mjs': `export default ${JSON_4};` });
    const env = { RLLM_CONFIG_DATA_ONLY: value };
    await expect(loadConfig({ cwd, env })).rejects.toMatchObject({ code: 'CONFIG_IS_CODE' });
    expect((await loadConfig({ cwd, env, dataOnly: false })).config.rollout.n).toBe(4);
  });

  test.each(['', '0', 'false'])('is not what RLLM_CONFIG_DATA_ONLY="%s" asks for', async (value) => {
    const cwd = folderWith({ 'rllm.config.mjs': `export default ${JSON_4};` });
    const loaded = await loadConfig({ cwd, env: { RLLM_CONFIG_DATA_ONLY: value } });
    expect(loaded.config.rollout.n).toBe(4);
  });
});

/** Leaves a file behind when it runs, under any kind of module. */
const trap = `import('node:fs').then((fs) => fs.writeFileSync(new URL('executed', 'file://' + process.cwd() + '/'), ''));
throw new Error('executed');`;
