import { type CommandContext, resolveConfig, SILENT } from 'rllm-sdk';
import { describe, expect, test, vi } from 'vitest';
import plugin from '../src/index.js';
import { fakeEngine, optionsFor, shiftTargets } from './drive-backend.js';

/** Runs the command as `rllm tinker check` does. */
async function check(tinker: Record<string, unknown>, given: Partial<CommandContext> = {}, algorithm = {}) {
  const lines: string[] = [];
  const command = plugin.commands?.find(({ name }) => name === 'tinker check');
  const code = await command!.run({
    arguments: [],
    options: {},
    config: resolveConfig({ algorithm, backend: { name: 'tinker', options: { tinker } } }),
    baseDirectory: '/',
    logger: SILENT,
    signal: new AbortController().signal,
    json: false,
    print: (line) => void lines.push(line),
    paint: (_style, text) => text,
    ...given,
  });
  return { code, lines };
}

const names = (lines: readonly string[], mark: string): readonly string[] =>
  lines.filter((line) => line.startsWith(mark)).map((line) => line.slice(2).split(':')[0]!);

const ALL = ['tokenizer', 'URL', 'key', 'settings', 'model', 'token ids', 'log-probs'];

describe('rllm tinker check', () => {
  test.each(['hosted', 'tx', 'tx-0.3'] as const)('passes on a good engine: %s', async (engine) => {
    const server = await fakeEngine({ engine });
    const { code, lines } = await check(await optionsFor(server, { options: { engine } }));
    expect([code, names(lines, '✓')]).toEqual([0, ALL]);
    expect(lines[0]).toContain('<|im_end|>');
    expect(server.to('/unload_model')).toHaveLength(1);
    expect(server.engine.violations).toEqual([]);
  });

  test('takes what is given on the command line before the config', async () => {
    const server = await fakeEngine();
    const tinker = { ...(await optionsFor(server)), model: 'other', baseUrl: 'http://127.0.0.1:9' };
    const { code } = await check(tinker, { options: { model: 'fake/bigram', url: server.url } });
    expect(code).toBe(0);
  });

  test.each([
    {
      what: 'a folder without tokenizer',
      options: { tokenizer: '/nowhere' },
      failed: 'tokenizer',
      says: /Set backend.options.tinker.tokenizer to the model's folder/,
    },
    {
      what: 'an engine that is not there',
      options: { baseUrl: 'http://127.0.0.1:9' },
      failed: 'URL',
      says: /engine runs/,
    },
    {
      what: 'a model that it has not',
      options: { model: 'other' },
      failed: 'model',
      says: /Set backend.options.tinker.model to "fake\/bigram"/,
    },
  ])('$what: one ✗ with a fix, and the rest not tried', async ({ options, failed, says }) => {
    const server = await fakeEngine();
    const { code, lines } = await check(await optionsFor(server, { options }));
    expect(code).toBe(1);
    expect(names(lines, '✗')).toEqual([failed]);
    expect(names(lines, '✓')).toEqual(ALL.slice(0, ALL.indexOf(failed)).filter((name) => name !== failed));
    expect(names(lines, '-')).toEqual(ALL.slice(ALL.indexOf(failed) + 1));
    expect(lines.find((line) => line.startsWith('  '))).toMatch(says);
  });

  test('a key that is missing or refused', async () => {
    const server = await fakeEngine();
    const tinker = await optionsFor(server, { options: { apiKeyEnv: 'NO_SUCH_KEY' } });
    vi.stubEnv('TINKER_API_KEY', undefined);
    const missing = await check(tinker);
    expect([missing.code, names(missing.lines, '✗')]).toEqual([1, ['key']]);
    expect(missing.lines).toContain('  Set the environment variable NO_SUCH_KEY.');
    vi.stubEnv('TINKER_API_KEY', 'tml-secret');
    server.script('/create_session', { status: 401, body: { detail: 'no' } });
    const refused = await check(tinker);
    expect([refused.code, names(refused.lines, '✗')]).toEqual([1, ['key']]);
    expect(refused.lines.join()).not.toContain('tml-secret');
  });

  test('settings that the engine cannot honour', async () => {
    const server = await fakeEngine({ engine: 'tx' });
    const { code, lines } = await check(await optionsFor(server), {}, { maxGradNorm: 1 });
    expect([code, names(lines, '✗')]).toEqual([1, ['settings']]);
    expect(lines.join()).toContain('algorithm.maxGradNorm');
  });

  test('an engine that does not sample, or samples from other weights than it trains', async () => {
    const server = await fakeEngine({ engine: 'tx' });
    server.script('/asample', { status: 400, body: { detail: 'no sampler here' } });
    const mute = await check(await optionsFor(server));
    expect([mute.code, names(mute.lines, '✗')]).toEqual([1, ['token ids']]);
    expect(mute.lines.join()).toContain('no sampler here');
    server.script('/forward', shiftTargets);
    const astray = await check(await optionsFor(server));
    expect([astray.code, names(astray.lines, '✗')]).toEqual([1, ['log-probs']]);
    expect(astray.lines.join()).toContain('other weights');
  });

  test('options that are wrong are told without trying anything', async () => {
    const { code, lines } = await check({ model: 'm', tokenizer: 't', engine: 'txx' });
    expect([code, names(lines, '✗'), lines.length]).toEqual([1, ['options'], 2]);
    expect(lines[0]).toContain('engine');
  });

  test('--json is one line for programs', async () => {
    const server = await fakeEngine();
    const { code, lines } = await check(await optionsFor(server, { options: { model: 'other' } }), {
      json: true,
    });
    expect([code, lines.length]).toEqual([1, 1]);
    const { ok, checks } = JSON.parse(lines[0]!) as {
      ok: boolean;
      checks: { name: string; status: string }[];
    };
    expect([ok, checks.map(({ name }) => name)]).toEqual([false, ALL]);
    expect(checks.filter(({ status }) => status === 'failed').map(({ name }) => name)).toEqual(['model']);
  });
});
