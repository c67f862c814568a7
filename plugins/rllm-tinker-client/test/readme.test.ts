import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import {
  DEFAULT_LIMITS,
  HOSTED_PROFILE,
  ServiceClient,
  TINKER_ERRORS,
  TX_03_PROFILE,
  TX_PROFILE,
} from '../src/index.js';
import { FakeTinker } from '../src/testing/index.js';

const README = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
const rowsAfter = (heading: string): readonly (readonly string[])[] =>
  (README.split(`## ${heading}\n`)[1]?.split('\n## ')[0] ?? '')
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );

describe('the README', () => {
  test('has every error with its fix, and no other', () => {
    const rows = rowsAfter('Errors').slice(2);
    expect(Object.fromEntries(rows.map(([code, fix]) => [code?.replaceAll('`', ''), fix]))).toEqual(
      TINKER_ERRORS,
    );
  });

  test('has every limit', () => {
    const named = rowsAfter('Limits').flatMap(([names]) =>
      [...(names ?? '').matchAll(/`(\w+)`/g)].map(([, name]) => name),
    );
    const limits = [
      ...Object.keys(DEFAULT_LIMITS),
      'concurrentPolls',
      'concurrentSamples',
      'concurrentSampleSubmits',
    ];
    expect(named.sort()).toEqual(limits.sort());
  });

  test('says what the profiles say of losses and polls', () => {
    const losses = rowsAfter('Engines')
      .find(([name]) => name === 'losses')
      ?.slice(1);
    expect(
      [HOSTED_PROFILE, TX_PROFILE, TX_03_PROFILE].map(({ losses: own }) => Object.keys(own).length),
    ).toEqual([5, 4, 3]);
    expect(losses).toEqual(['all five', 'no `dro`', 'no `dro`, no `cispo`']);
    const polls = rowsAfter('Limits').find(([name]) => name === '`concurrentPolls`')?.[1];
    expect(polls).toBe(`${HOSTED_PROFILE.concurrentPolls}; tx ${TX_PROFILE.concurrentPolls}`);
  });

  test('shows a loop that runs', async () => {
    const [snippet = ''] = README.match(/(?<=```ts\n)[\s\S]*?(?=```)/) ?? [];
    const server = await FakeTinker.start({ engine: 'tx', vocabSize: 64, baseModel: 'Qwen/Qwen3-8B' });
    const plain = snippet
      .replace(/^import .*$/m, '')
      .replace('await using service =', 'const service =')
      .replace('http://127.0.0.1:8000', server.url)
      .replace(/: number(\[\])?(?=[,)]| =>)/g, '')
      .replaceAll(']!', ']');
    // The snippet as a program: types taken out, its import given as a parameter.
    const run = new Function('ServiceClient', `return (async () => {${plain}; return service;})()`) as (
      client: typeof ServiceClient,
    ) => Promise<ServiceClient>;
    const service = await run(ServiceClient);
    expect(server.engine.violations).toEqual([]);
    expect([...server.engine.models.values()][0]?.states.has('last')).toBe(true);
    await service.close();
    await server.close();
  });
});
