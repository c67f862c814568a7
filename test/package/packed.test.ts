import { execFile } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ROOT } from '../cli/project.js';
import { README, snippetsOf } from '../docs/snippets.js';
import { pack } from './pack.js';

const run = promisify(execFile);

describe('the package installed from its tarball in an empty folder', { timeout: 240_000 }, () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'rllm-packed-')));
  const inFolder = (command: string, args: readonly string[]) => run(command, args, { cwd: folder });
  let packed: readonly string[] = [];

  beforeAll(async () => {
    const tarball = await pack(ROOT, folder);
    packed = tarball.files;
    await inFolder('npm', ['init', '-y']);
    await inFolder('npm', ['install', '--no-audit', '--no-fund', '--prefer-offline', tarball.path]);
    for (const { name, text } of snippetsOf(README)) {
      if (name !== undefined) writeFileSync(join(folder, name), text);
    }
  }, 240_000);

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test('the tarball has what a user needs, and no tests and no leftovers of the build', () => {
    const needed = [
      ...['README.md', 'LICENSE', 'CHANGELOG.md', 'rllmrc.schema.json', 'rllmrc.example.json'],
      ...['dist/index.d.ts', 'dist/index.js', 'dist/testing/index.js', 'dist/cli/main.js'],
      ...['templates/package/gitignore', 'templates/estimator/src/index.ts'],
    ];
    expect(packed).toEqual(expect.arrayContaining(needed));
    expect(packed.filter((path) => /^(test|src|bench|plugins|\.)|tsbuildinfo/.test(path))).toEqual([]);
  });

  test('npx rllm --help lists the commands', async () => {
    const { stdout } = await inFolder('npx', ['rllm', '--help']);
    for (const name of ['train', 'eval', 'config', 'estimators', 'plugins']) expect(stdout).toContain(name);
  });

  test('the agent of the README is valid and trains', async () => {
    expect((await inFolder('npx', ['rllm', 'config', 'validate'])).stdout).toBe('rllmrc.json is valid.\n');
    const { stdout } = await inFolder('npx', ['rllm', 'train', '--json', '--set', 'trainer.totalBatches=3']);
    const last = JSON.parse(stdout.trim().split('\n').at(-1) ?? '');
    expect(last).toMatchObject({ event: 'end', status: 'completed', summary: { steps: 3 } });
  });

  test('the estimator of the README trains', async () => {
    const set = ['trainer.totalBatches=1', 'algorithm.estimator=below_best', 'plugins=["./plugin.ts"]'];
    await inFolder('npx', ['rllm', 'train', ...set.flatMap((value) => ['--set', value])]);
  });

  test('printed commands can be pasted', async () => {
    const { stdout } = await inFolder('npx', ['rllm', 'train', '--set', 'trainer.totalBatches=1']);
    const next = /next +npx (rllm eval --run \S+)/.exec(stdout)?.[1]?.split(' ') ?? [];
    expect((await inFolder('npx', next)).stdout).toContain('val/unknown/pass@1');
  });

  test('the program of the README runs', async () => {
    expect((await inFolder('npx', ['jiti', 'train.ts'])).stdout).toMatch(/^1 0/);
  });

  test('CommonJS requires the same module that ESM imports', async () => {
    writeFileSync(
      join(folder, 'both.cjs'),
      `const { EstimatorRegistry } = require('rllm-sdk');
       import('rllm-sdk').then((esm) => console.log(esm.EstimatorRegistry === EstimatorRegistry));`,
    );
    expect((await inFolder('node', ['both.cjs'])).stdout).toBe('true\n');
  });
});

describe('the package as other tools judge it', { timeout: 120_000 }, () => {
  const bin = (name: string): string => join(ROOT, 'node_modules', '.bin', name);

  test('publint finds nothing', async () => {
    const { stdout } = await run(bin('publint'), ['--strict'], { cwd: ROOT });
    expect(stdout).toContain('All good!');
  });

  test('are-the-types-wrong finds nothing', async () => {
    const { stdout } = await run(bin('attw'), ['--pack', '.', '--profile', 'esm-only'], { cwd: ROOT });
    for (const entry of ['"rllm-sdk"', '"rllm-sdk/testing"']) {
      expect(stdout.split(entry)[1]).toMatch(/^\s+node16 \(from ESM\): 🟢 \(ESM\)\s+bundler: 🟢/);
    }
  });
});
