import { expect, test } from 'vitest';
import { awaitedParts, awaiting } from '../../src/awaited-parts.js';
import { neverSettledError } from '../../src/cli/unhandled.js';
import { tiny } from '../trainer/tiny-run.js';
import { CONFIG, guessProject } from './guess-project.js';
import { eventsOf, rllm } from './rllm.js';

const HANGS = 'await new Promise(() => {});';
const plugin = (parts: string): string =>
  `export default { name: 'broken', apiVersion: 1, ${parts}, hooks: {} };`;
const WITH_BROKEN = { ...CONFIG, plugins: ['./guess.ts', './broken.mjs'] };

test.each([
  ['the import of a plugin', `${HANGS}\n${plugin('workflows: []')}`, 'The import of plugin "./broken.mjs"'],
  ['the setup of a plugin', plugin(`async setup() { ${HANGS} }`), 'The setup() of plugin "broken"'],
])('%s that never settles is one coded error with its name', async (_name, broken, what) => {
  const folder = guessProject({ 'broken.mjs': broken, 'rllmrc.json': WITH_BROKEN });
  const outcome = await rllm(folder, ['train', '--json']);
  expect(outcome.code).toBe(1);
  expect(outcome.stderr).toMatch(/^error NEVER_SETTLED {2}.*\nfix {2}.*\n$/);
  expect(outcome.stderr).toContain(`${what} never finished`);
  expect(eventsOf(outcome)).toMatchObject([
    { event: 'error', code: 'NEVER_SETTLED', message: expect.stringContaining(what) },
  ]);
});

test('so is a plugin in TypeScript', async () => {
  const config = { ...CONFIG, plugins: ['./guess.ts', './broken.ts'] };
  const folder = guessProject({ 'broken.ts': `${HANGS}\n${plugin('workflows: []')}`, 'rllmrc.json': config });
  const { code, stderr } = await rllm(folder, ['plugins', 'list']);
  expect(code).toBe(1);
  expect(stderr).toMatch(/^error NEVER_SETTLED {2}The import of plugin "\.\/broken\.ts" never finished/);
});

test('so is a config file', async () => {
  const folder = guessProject({ 'rllm.config.mjs': `${HANGS}\nexport default {};` });
  const { code, stderr } = await rllm(folder, ['config', 'print', '--config', 'rllm.config.mjs']);
  expect(code).toBe(1);
  expect(stderr).toMatch(/^error NEVER_SETTLED {2}The import of the config file .*rllm\.config\.mjs never/);
});

test('so is a command of a plugin', async () => {
  const command = `commands: [{ name: 'wait', summary: 'waits', async run() { ${HANGS} } }]`;
  const folder = guessProject({ 'broken.mjs': plugin(command), 'rllmrc.json': WITH_BROKEN });
  const { code, stderr } = await rllm(folder, ['wait']);
  expect(code).toBe(1);
  expect(stderr).toMatch(/^error NEVER_SETTLED {2}The command "wait" of plugin "broken" never finished/);
});

test('so is a dataset source', async () => {
  const source = `datasets: [{ name: 'deep', summary: '', async open() { ${HANGS} } }]`;
  const config = { ...WITH_BROKEN, data: { ...CONFIG.data, train: { use: 'deep' } } };
  const folder = guessProject({ 'broken.mjs': plugin(source), 'rllmrc.json': config });
  const { code, stderr } = await rllm(folder, ['train']);
  expect(code).toBe(1);
  expect(stderr).toMatch(/^error NEVER_SETTLED {2}The reading of dataset source "deep" never finished/);
});

test.each(['start', 'saveCheckpoint', 'onBatchEnd'])('so is %s() of a backend', async (call) => {
  const backend = `
import { inMemoryBackend } from 'rllm-sdk/testing';
const inner = inMemoryBackend({ policy: () => 'yes' });
const create = (...given) => Object.assign(inner.create(...given), { async ${call}() { ${HANGS} } });
${plugin("backends: [{ ...inner, name: 'stuck', create }]")}`;
  const config = { ...WITH_BROKEN, backend: 'stuck' };
  const folder = guessProject({ 'broken.mjs': backend, 'rllmrc.json': config });
  const { code, stderr } = await rllm(folder, ['train', '--run-dir', 'run']);
  expect(code).toBe(1);
  expect(stderr).toContain(`error NEVER_SETTLED  The ${call}() of backend "in-memory" never finished`);
});

test.each(['processBatch', 'updatePolicy', 'shutdown'] as const)(
  '%s() of a backend is known to be waited for',
  async (call) => {
    const { trainer, backend } = tiny();
    let settle = (): void => undefined;
    backend[call] = () =>
      new Promise<never>((_, reject) => {
        settle = () => reject(new Error('at last'));
      });
    const run = (call === 'shutdown' ? trainer.shutdown() : trainer.fit()).catch(String);
    await expect.poll(awaitedParts).toEqual([`the ${call}() of backend "in-memory"`]);
    settle();
    expect(await run).toContain('at last');
    expect(awaitedParts()).toEqual([]);
  },
);

test('what is not known by name is the command itself', () => {
  expect(neverSettledError().message).toMatch(/^The command never finished/);
});

test('a part that has settled is awaited no more, however it ended', async () => {
  await expect(awaiting('the end', () => Promise.reject(new Error('late')))).rejects.toThrow('late');
  expect(awaitedParts()).toEqual([]);
});
