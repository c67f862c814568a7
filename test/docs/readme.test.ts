import { execFile } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { DEFAULT_CONFIG } from '../../src/config/index.js';
import { ERRORS } from '../../src/errors.js';
import { project, ROOT } from '../cli/project.js';
import { eventsOf, rllm } from '../cli/rllm.js';
import { README, snippetsOf, tableAfter } from './snippets.js';

const run = promisify(execFile);

/** A folder with every file that the README shows. */
function readmeProject(): string {
  const files = snippetsOf(README).flatMap(({ name, text }) => (name === undefined ? [] : [[name, text]]));
  return project(Object.fromEntries(files));
}

/** A few steps instead of many. */
const SHORT = ['--set', 'trainer.totalBatches=2', '--quiet'];

describe('what the README shows', { timeout: 120_000 }, () => {
  test('the agent learns its task to the end', async () => {
    const folder = readmeProject();
    expect((await rllm(folder, ['train', '--dry-run'])).code).toBe(0);
    const outcome = await rllm(folder, ['train', '--json']);
    expect(outcome.code).toBe(0);
    expect(eventsOf(outcome).at(-1)).toMatchObject({ event: 'end', status: 'completed' });
    const steps = eventsOf(outcome).filter(({ event }) => event === 'step');
    const last = steps.at(-1)?.['metrics'] as Record<string, number>;
    expect(last['batch/solve_rate']).toBeGreaterThanOrEqual(0.98);
  });

  test.each([
    ['the estimator as a class', '["./agent.ts","./estimator.ts"]', 'below_best'],
    ['the estimator as a function', '["./agent.ts","./estimator-function.ts"]', 'sign'],
    ['the plugin', '["./plugin.ts"]', 'below_best'],
  ])('%s trains', async (_name, plugins, estimator) => {
    const args = ['--set', `plugins=${plugins}`, '--set', `algorithm.estimator=${estimator}`];
    const { code, stderr } = await rllm(readmeProject(), ['train', ...SHORT, ...args]);
    expect(code).toBe(0);
    expect(stderr).toMatch(plugins.includes('plugin.ts') ? /^step 0: \d/ : /^$/);
  });

  test('the program in code runs', async () => {
    const folder = readmeProject();
    const { stdout } = await run(join(ROOT, 'node_modules/.bin/jiti'), ['train.ts'], { cwd: folder });
    expect(stdout).toMatch(/^1 0\.[0-4].*\n\d+ (1|0\.98\d*|0\.99\d*)\n$/s);
  });

  test('every TypeScript file compiles under strict', async () => {
    const folder = readmeProject();
    const compilerOptions = {
      ...{ strict: true, noEmit: true, module: 'nodenext', target: 'es2022', skipLibCheck: true },
      types: ['node'],
      typeRoots: [join(ROOT, 'node_modules/@types')],
    };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }));
    const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
    const outcome = await run(process.execPath, [tsc, '-p', folder]).catch((error) => error);
    expect(outcome.stdout).toBe('');
  });

  test('the npm scripts exist', () => {
    const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
    const named = [...README.matchAll(/npm (?:run )?(quickstart|test)/g)].map(([, name]) => name ?? '');
    expect(new Set(named)).toEqual(new Set(['quickstart', 'test']));
    for (const name of named) expect(scripts).toHaveProperty(name);
  });

  test('every option of the commands exists', async () => {
    const commands = snippetsOf(README).find(({ text }) => text.includes('npx rllm eval'))?.text ?? '';
    const folder = project({});
    for (const line of commands.trim().split('\n')) {
      const words = line.replace('npx rllm ', '').split(' ');
      const path = words.slice(0, words[0] === 'train' || words[0] === 'eval' ? 1 : 2);
      const { code, stdout } = await rllm(folder, [...path, '--help']);
      expect(code).toBe(0);
      for (const [option] of line.matchAll(/--[a-z-]+/g)) expect(stdout).toContain(option);
    }
  });
});

test('the README has a row for each section of the configuration', () => {
  const sections = tableAfter(README, 'Configuration').map(([name]) => name?.replaceAll('`', ''));
  expect(sections.sort()).toEqual(
    Object.keys(DEFAULT_CONFIG)
      .filter((name) => name !== '$schema')
      .sort(),
  );
});

test('the README has every exit code that an error can have', () => {
  const codes = tableAfter(README, 'Exit codes').flatMap(([codes]) => codes?.split(', ').map(Number) ?? []);
  for (const { exit } of Object.values(ERRORS)) expect(codes).toContain(exit);
});

test('links of the README lead to files and headings that exist', () => {
  const headings = [...README.matchAll(/^## (.*)$/gm)].map(([, title]) =>
    (title ?? '').toLowerCase().replaceAll("'", '').replaceAll(' ', '-'),
  );
  for (const [, link = ''] of README.matchAll(/\]\(([^)]+)\)/g)) {
    if (link.startsWith('#')) expect(headings).toContain(link.slice(1));
    else if (!link.startsWith('https:')) expect(existsSync(join(ROOT, link)), link).toBe(true);
  }
});
