import { createServer } from 'node:net';
import plugin from 'rllm-plugin-tinker';
import { type CommandContext, resolveConfig, SILENT } from 'rllm-sdk';
import { describe, expect, inject, test } from 'vitest';

interface Check {
  readonly name: string;
  readonly status: string;
  readonly fix?: string;
}

/** What `rllm tinker check --json` does with the options given on its command line. */
async function check(given: CommandContext['options'] = {}): Promise<{
  readonly code: number | undefined;
  readonly ok: boolean;
  readonly checks: readonly Check[];
}> {
  const { model } = inject('server');
  const tinker = { baseUrl: inject('url'), model, tokenizer: model, lora: { rank: 8 } };
  const lines: string[] = [];
  const command = plugin.commands?.find(({ name }) => name === 'tinker check');
  const code = await command?.run({
    arguments: [],
    options: given,
    config: resolveConfig({ backend: { name: 'tinker', options: { tinker } } }),
    baseDirectory: '/',
    logger: SILENT,
    signal: new AbortController().signal,
    json: true,
    print: (line) => void lines.push(line),
    paint: (_style, text) => text,
  });
  expect(lines).toHaveLength(1);
  return { code: code ?? undefined, ...(JSON.parse(lines[0]!) as { ok: boolean; checks: readonly Check[] }) };
}

const named = (checks: readonly Check[], status: string): readonly string[] =>
  checks.filter((one) => one.status === status).map(({ name }) => name);

const ALL = ['tokenizer', 'URL', 'key', 'settings', 'model', 'token ids', 'log-probs'];

describe('rllm tinker check on a real engine', () => {
  test('passes', async () => {
    const { code, ok, checks } = await check();
    expect({ code, ok, passed: named(checks, 'passed') }).toEqual({ code: 0, ok: true, passed: ALL });
  });

  test('says what to do about a model that the engine has not', async () => {
    const { code, ok, checks } = await check({ model: 'Qwen/Qwen3-8B' });
    expect({ code, ok, failed: named(checks, 'failed') }).toEqual({ code: 1, ok: false, failed: ['model'] });
    expect(checks.find(({ status }) => status === 'failed')?.fix).toContain(inject('server').model);
  });

  test('says what to do about a port where nobody listens', async () => {
    const { code, ok, checks } = await check({ url: `http://127.0.0.1:${await closedPort()}` });
    expect({ code, ok, failed: named(checks, 'failed') }).toEqual({ code: 1, ok: false, failed: ['URL'] });
    expect(checks.find(({ status }) => status === 'failed')?.fix).toMatch(/engine runs/);
  });
});

function closedPort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
    probe.on('error', reject);
  });
}
