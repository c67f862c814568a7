import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { project, ROOT } from '../cli/project.js';
import { eventsOf, rllm } from '../cli/rllm.js';
import { compile, pageFiles, pageProject, pageText, tool } from './page-project.js';
import { snippetsOf, tableAfter } from './snippets.js';

const PAGES = readdirSync(join(ROOT, 'docs'))
  .filter((name) => name.endsWith('.md'))
  .map((name) => `docs/${name}`);

/** How many tests of a folder passed and failed. */
async function testsOf(folder: string): Promise<{ readonly passed: number; readonly failed: number }> {
  const report = JSON.parse(await tool(folder, 'vitest/vitest.mjs', ['run', '--reporter=json']));
  return { passed: report.numPassedTests, failed: report.numFailedTests + report.numFailedTestSuites };
}

describe('the pages', () => {
  test('are found', () => {
    expect(PAGES).toEqual(
      expect.arrayContaining(['docs/plugins.md', 'docs/write-a-backend.md', 'docs/write-an-estimator.md']),
    );
  });

  test.each(PAGES)('%s shows code and configs as whole files, which the tests below run', (page) => {
    const unnamed = snippetsOf(pageText(page)).filter(
      ({ language, name }) => language !== 'sh' && name === undefined,
    );
    expect(unnamed).toEqual([]);
  });

  test.each(PAGES)('links of %s lead to files that exist', (page) => {
    for (const [, link = ''] of pageText(page).matchAll(/\]\(([^)#]+)(?:#[^)]*)?\)/g)) {
      if (!link.startsWith('https:')) expect(existsSync(join(ROOT, dirname(page), link)), link).toBe(true);
    }
  });
});

describe('the command lines of all pages', { timeout: 120_000 }, () => {
  const written = PAGES.flatMap((page) =>
    snippetsOf(pageText(page))
      .filter(({ language }) => language === 'sh')
      .flatMap(({ text }) => text.trim().split('\n')),
  ).map((line) => line.replace(/\s+#.*/, ''));
  const nodeOptions = written.flatMap((line) => /^NODE_OPTIONS=(\S+) /.exec(line)?.[1] ?? []);
  const lines = written.map((line) => line.replace(/^NODE_OPTIONS=\S+ /, ''));
  const ours = [...new Set(lines.filter((line) => line.startsWith('npx rllm ')))];

  test('are there', () => {
    expect(ours.length).toBeGreaterThan(10);
  });

  test('are of rllm, or of npm in a package that was created', () => {
    const others = lines.filter((line) => !ours.includes(line));
    for (const line of others)
      expect(line).toMatch(/^(cd \S+|npm install( \.\/\S+)?|npm (test|run (build|check)))$/);
  });

  test.each(nodeOptions)('give Node options that it takes: %s', (options) => {
    const env = { ...process.env, NODE_OPTIONS: options };
    const { status, stderr } = spawnSync(process.execPath, ['-e', ''], { env, encoding: 'utf8' });
    expect([status, stderr]).toEqual([0, '']);
  });

  test('name commands and options that exist', async () => {
    const folder = project({});
    const helps = new Map<string, string>();
    for (const line of ours) {
      const words = line.replace('npx rllm ', '').split(' ');
      const path = words.slice(0, words[0] === 'train' || words[0] === 'eval' ? 1 : 2);
      const key = path.join(' ');
      if (!helps.has(key)) {
        const { code, stdout } = await rllm(folder, [...path, '--help']);
        expect(code, key).toBe(0);
        helps.set(key, stdout);
      }
      for (const [option] of line.matchAll(/--[a-z-]+/g)) expect(helps.get(key), line).toContain(option);
    }
  });
});

describe('write an estimator', { timeout: 180_000 }, () => {
  test('from the package that is created to training with it, for all roles and for one', async () => {
    const page = 'docs/write-an-estimator.md';
    const folder = pageProject(page);
    const own = join(folder, 'rllm-plugin-opo');
    rmSync(own, { recursive: true });
    expect((await rllm(folder, ['plugins', 'create', 'rllm-plugin-opo'])).code).toBe(0);
    for (const [name, text] of Object.entries(pageFiles(page))) {
      if (!name.startsWith('rllm-plugin-opo/')) continue;
      expect(existsSync(join(folder, name)), `${name} is a file that was created`).toBe(true);
      writeFileSync(join(folder, name), text);
    }
    expect(await tool(own, 'typescript/bin/tsc', ['-p', 'tsconfig.build.json'])).toBe('');
    expect(await tool(own, 'typescript/bin/tsc', ['-p', '.'])).toBe('');
    const { passed, failed } = await testsOf(own);
    expect([failed, passed > 15]).toEqual([0, true]);
    expect(await rllm(own, ['plugins', 'check', '.'])).toMatchObject({ code: 0 });

    symlinkSync(own, join(folder, 'node_modules', 'rllm-plugin-opo'));
    const short = ['--set', 'trainer.totalBatches=2', '--json'];
    const oneRole = ['algorithm.estimator=grpo', 'algorithm.estimatorMap.judge=my_opo'];
    for (const args of [[], oneRole.flatMap((setting) => ['--set', setting])]) {
      const outcome = await rllm(folder, ['train', ...args, ...short]);
      expect(outcome).toMatchObject({ code: 0 });
      expect(eventsOf(outcome).at(-1)).toMatchObject({ event: 'end', status: 'completed' });
    }
    const compare = /^npx rllm (estimators compare .*)$/m.exec(pageText(page))?.[1] ?? '';
    const compared = await rllm(folder, compare.replaceAll('"', '').split(' '));
    expect(compared).toMatchObject({ code: 0 });
    expect(compared.stdout).toContain('my_opo');
    expect(compared.stdout + compared.stderr).not.toContain('not compared');
  });
});

describe('write a backend', { timeout: 180_000 }, () => {
  test('the backend compiles, passes every check, and learns the task to the end', async () => {
    const folder = pageProject('docs/write-a-backend.md');
    expect(await compile(folder)).toBe('');
    const { passed, failed } = await testsOf(folder);
    expect([failed, passed > 15]).toEqual([0, true]);
    const outcome = await rllm(folder, ['train', '--json']);
    expect(outcome.code).toBe(0);
    const steps = eventsOf(outcome).filter(({ event }) => event === 'step');
    const solved = steps.map(({ metrics }) => (metrics as Record<string, number>)['batch/solve_rate'] ?? 0);
    expect(solved[0]).toBeLessThan(0.6);
    expect(Math.max(...solved)).toBe(1);
  });

  test('it is a backend that one can read at a sitting', () => {
    const { 'tabular.ts': text = '' } = pageFiles('docs/write-a-backend.md');
    const code = text.split('\n').filter((line) => line.trim() !== '');
    expect(code.length).toBeLessThan(160);
  });
});

describe('what a plugin may rely on', { timeout: 120_000 }, () => {
  const page = 'docs/plugins.md';
  const configs = Object.keys(pageFiles(page)).filter((name) => /\.json$|config\.ts$/.test(name));

  test('the plugins compile', async () => {
    expect(await compile(pageProject(page))).toBe('');
  });

  test.each(configs)('an app can be made of %s', async (config) => {
    const outcome = await rllm(pageProject(page), ['plugins', 'list', '--config', config]);
    expect(outcome).toMatchObject({ code: 0, stderr: '' });
  });

  test('a run takes all parts that the page shows', async () => {
    const vocabulary = { words: ['<s>', 'one', 'plus', 'two', 'three'], bos: '<s>' };
    const config = {
      plugins: ['./parts.ts', { use: './tuned.ts', options: { floor: 0.25 } }, './listens.ts'],
      workflow: { use: 'ask' },
      transform: { groupingHook: 'everyday' },
      algorithm: { estimator: 'floored', estimatorMap: { other: 'half' } },
      reward: JSON.parse(pageFiles(page)['rewards.json'] ?? '').reward,
      data: { train: { use: 'sums' }, trainBatchSize: 2 },
      rollout: { n: 2, train: { maxTokens: 1 } },
      tracking: { trackers: ['said'] },
      trainer: { totalBatches: 1 },
      backend: { name: 'local', options: { local: { vocabulary } } },
    };
    const folder = pageProject(page);
    writeFileSync(join(folder, 'all.json'), JSON.stringify(config));
    const outcome = await rllm(folder, ['train', '--config', 'all.json', '--json']);
    expect(outcome).toMatchObject({ code: 0 });
    const step = eventsOf(outcome).find(({ event }) => event === 'step');
    expect(step?.['metrics']).toMatchObject({
      'listens/groups': 2,
      'advantage/agent/min': expect.any(Number),
    });
    expect(outcome.stderr).toContain('the run is completed');
    const sung = await rllm(folder, ['parts', 'sing', '--times', '2', '--config', 'all.json']);
    expect(sung).toMatchObject({ code: 0, stdout: 'la\nla\n' });
  });

  test('the codes that it names are in the table of errors', () => {
    const errors = pageText('docs/errors.md');
    const rows = tableAfter(pageText(page), 'Faults').map(([, codes = '']) => codes);
    const codes = rows.flatMap((row) => [...row.matchAll(/`(\w+)`/g)].map(([, code]) => code ?? ''));
    expect(codes.length).toBeGreaterThan(10);
    for (const code of codes) expect(errors).toContain(`| \`${code}\` |`);
  });
});
