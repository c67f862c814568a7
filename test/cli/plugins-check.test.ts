import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { checkPluginPath } from '../../src/cli/plugin-check/check-plugin-path.js';
import { CHECK_RULES, type Finding } from '../../src/cli/plugin-check/check-rules.js';
import { packageFindings } from '../../src/cli/plugin-check/package-findings.js';
import { resolveEntry } from '../../src/cli/plugin-check/resolve-entry.js';
import { tableAfter } from '../docs/snippets.js';
import { line } from './in-process.js';
import { project, ROOT } from './project.js';

const rulesOf = (findings: readonly Finding[]): readonly string[] => [
  ...new Set(findings.map(({ rule }) => rule)),
];

const MANIFEST = {
  name: 'rllm-plugin-good',
  version: '1.0.0',
  keywords: ['rllm-plugin'],
  license: 'MIT',
  type: 'module',
  exports: { '.': { types: './dist/index.d.ts', default: './dist/index.js' } },
  files: ['dist'],
  peerDependencies: { 'rllm-sdk': '^0.1.0' },
};

const PARTS = {
  estimator: `AdvEstimator('centred', { summary: 'r − mean' })(({ rewards }) => ({
    advantages: rewards.map((own) => own.every((r) => r === own[0]) ? own.map(() => 0)
      : own.map((r) => r - own.reduce((a, b) => a + b) / own.length)),
  }))`,
  reward: `RewardFunction('brief', { summary: 'few steps' })(({ trajectory }) => (trajectory.steps.length < 3 ? 1 : 0))`,
};

/** A plugin as a module in JavaScript. */
const plugin = (definition: string): string => `
  import { AdvEstimator, GroupingHook, RewardFunction } from 'rllm-sdk';
  import { inMemoryBackend } from 'rllm-sdk/testing';
  import * as z from 'zod';
  export default { name: 'rllm-plugin-good', apiVersion: 1, ${definition} };`;

const GOOD = plugin(`estimators: [${PARTS.estimator}], rewards: [${PARTS.reward}]`);

/** The folder of a package; a field of the manifest that is undefined is left out. */
function packageWith(manifest: object = {}, files: Readonly<Record<string, string>> = {}): string {
  return project({
    'package.json': { ...MANIFEST, ...manifest },
    'README.md': '# good',
    'dist/index.js': GOOD,
    'dist/index.d.ts': 'export default {};',
    ...files,
  });
}

describe('a package that is in order', () => {
  test('has no findings, and the command ends with 0', async () => {
    const outcome = await line(packageWith(), ['plugins', 'check', '.']);
    expect(outcome).toMatchObject({
      code: 0,
      stdout: 'rllm-plugin-good@1.0.0: no errors, no warnings\n',
      stderr: '',
    });
  });

  test('has none in JSON', async () => {
    const { code, stdout } = await line(packageWith(), ['plugins', 'check', '.', '--json']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual({
      path: '.',
      plugin: { name: 'rllm-plugin-good', version: '1.0.0' },
      findings: [],
      errors: 0,
      warnings: 0,
    });
  });
});

test('every finding is a line with severity, rule, message and file, and errors end it with 1', async () => {
  const folder = packageWith({ keywords: [], files: ['src'], peerDependencies: {} });
  const { code, stdout } = await line(folder, ['plugins', 'check', '.']);
  expect(code).toBe(1);
  const lines = stdout.trim().split('\n');
  expect(lines).toEqual([
    expect.stringMatching(/^warn {3}package-keyword {2}.* {2}\(package\.json\)$/),
    expect.stringMatching(/^error {2}package-files {4}dist\/index\.js is not packed.* {2}\(package\.json\)$/),
    expect.stringMatching(
      /^error {2}package-files {4}dist\/index\.d\.ts is not packed.* {2}\(package\.json\)$/,
    ),
    expect.stringMatching(/^error {2}sdk-peer {9}.* {2}\(package\.json\)$/),
    'rllm-plugin-good@1.0.0: 3 errors, 1 warning',
  ]);
});

describe('a package', () => {
  const PACKED = ['README.md', 'dist/index.js', 'dist/index.d.ts', 'package.json'];

  function findingsOf(manifest: object, packed: readonly string[] | null = PACKED): readonly Finding[] {
    const whole = JSON.parse(JSON.stringify({ ...MANIFEST, ...manifest })) as Record<string, unknown>;
    const entry = resolveEntry(packageWith(), whole);
    return packageFindings({ manifest: whole, entry, packed, sdkVersion: '0.1.0' });
  }

  test('in order has no findings', () => {
    expect(findingsOf({})).toEqual([]);
  });

  test.each<readonly [string, object, readonly string[] | null, string]>([
    ['without a version', { version: undefined }, PACKED, 'package-version'],
    ['of a version that is none', { version: 'one' }, PACKED, 'package-version'],
    ['without the keyword', { keywords: ['rl'] }, PACKED, 'package-keyword'],
    ['without keywords', { keywords: undefined }, PACKED, 'package-keyword'],
    ['without a license', { license: undefined }, PACKED, 'package-license'],
    ['without a README', {}, PACKED.slice(1), 'package-readme'],
    ['that does not pack its entry', {}, ['README.md', 'dist/index.d.ts'], 'package-files'],
    ['that does not pack its types', {}, ['README.md', 'dist/index.js'], 'package-files'],
    ['that npm cannot be asked about', {}, null, 'package-unpacked'],
    [
      'whose exports only import',
      { exports: { '.': { types: './dist/index.d.ts', import: './dist/index.js' } } },
      PACKED,
      'package-entry',
    ],
    [
      'whose exports lack the package itself',
      { exports: { './other': './dist/index.js' } },
      PACKED,
      'package-entry',
    ],
    ['whose entry is not there', { exports: './dist/main.js' }, PACKED, 'package-entry'],
    [
      'whose types are not there',
      { exports: { types: './dist/absent.d.ts', default: './dist/index.js' } },
      PACKED,
      'package-types',
    ],
    ['that does not name the SDK', { peerDependencies: {} }, PACKED, 'sdk-peer'],
    ['that depends on the SDK', { dependencies: { 'rllm-sdk': '^0.1.0' } }, PACKED, 'sdk-peer'],
    ['for another SDK', { peerDependencies: { 'rllm-sdk': '^9.0.0' } }, PACKED, 'sdk-range'],
    ['for a range that is none', { peerDependencies: { 'rllm-sdk': 'newest' } }, PACKED, 'sdk-range'],
  ])('%s', (_what, manifest, packed, rule) => {
    expect(rulesOf(findingsOf(manifest, packed))).toContain(rule);
  });

  test.each<readonly [string, object]>([
    ['exports as a text', { exports: './dist/index.js' }],
    [
      'exports by condition, without paths',
      { exports: { types: './dist/index.d.ts', default: './dist/index.js' } },
    ],
    [
      'import and require apart',
      { exports: { '.': { import: './dist/index.js', require: './dist/index.js' } } },
    ],
    ['a list of fallbacks', { exports: { '.': ['./dist/index.js'] } }],
    ['main, without exports', { exports: undefined, main: './dist/index.js' }],
  ])('may have %s', (_what, manifest) => {
    expect(findingsOf(manifest)).toEqual([]);
  });

  test.each<readonly [string, object]>([
    [
      'that was made for another SDK is not loaded, and this is said once',
      { peerDependencies: { 'rllm-sdk': '^9.0.0' } },
    ],
  ])('%s', async (_what, manifest) => {
    const { plugin, findings } = await checkPluginPath(packageWith(manifest), {});
    expect(plugin).toBeNull();
    expect(rulesOf(findings)).toEqual(['sdk-range']);
  });

  test.each<readonly [string, (folder: string) => void]>([
    ['without a package.json', (folder) => rmSync(join(folder, 'package.json'))],
    ['with a package.json that is not JSON', (folder) => writeFileSync(join(folder, 'package.json'), '{')],
    ['without a name', (folder) => writeFileSync(join(folder, 'package.json'), '{}')],
  ])('%s is no package', async (_what, spoil) => {
    const folder = packageWith();
    spoil(folder);
    expect(rulesOf((await checkPluginPath(folder, {})).findings)).toEqual(['package-json']);
  });

  test('that was not built has no entry, and is not loaded', async () => {
    const folder = packageWith();
    rmSync(join(folder, 'dist'), { recursive: true });
    const { plugin, findings } = await checkPluginPath(folder, {});
    expect(plugin).toBeNull();
    expect(findings[0]?.message).toContain('was it built?');
  });
});

describe('a plugin in a file', () => {
  const check = (definition: string, options: Readonly<Record<string, unknown>> = {}) => {
    const folder = project({ 'plugin.mjs': plugin(definition) });
    return checkPluginPath(join(folder, 'plugin.mjs'), options);
  };

  test('in order has no findings', async () => {
    const { plugin: checked, findings } = await check(
      `estimators: [${PARTS.estimator}], rewards: [${PARTS.reward}]`,
    );
    expect(findings).toEqual([]);
    expect(checked).toEqual({ name: 'rllm-plugin-good', version: null });
  });

  const estimator = (body: string, name = 'mine'): string =>
    `estimators: [AdvEstimator('${name}', { summary: 's' })(({ rewards }) => ({ advantages: ${body} }))]`;
  const hook = (body: string): string =>
    `groupingHooks: [GroupingHook('mine', { summary: 's' })((episodes) => ${body})]`;
  const reward = (body: string, more = ''): string =>
    `rewards: [RewardFunction('mine', { summary: 's', ${more} })(({ trajectory }) => { ${body} })]`;
  const command = (fields: string): string =>
    `commands: [{ name: 'mine', summary: 's', ${fields}, run: async () => 0 }]`;
  const tracker = (finish: string): string =>
    `trackers: [{ name: 'mine', summary: 's', create: () => ({ name: 'mine', log() {}, finish() { ${finish} } }) }]`;
  const backend = (name: string): string =>
    `backends: [{ ...inMemoryBackend({ policy: () => 'yes', name: '${name}', maxPromptTokens: 4096 }), name: 'mine' }]`;

  test.each<readonly [string, string, string]>([
    ['throws in setup', `setup() { throw new Error('no'); }`, 'plugin-loads'],
    ['is of another API', `apiVersion: 7`, 'plugin-loads'],
    [
      'has options without defaults',
      `options: z.strictObject({ url: z.string() }), setup() {}`,
      'plugin-options',
    ],
    ['brings nothing', '', 'plugin-empty'],
    [
      'takes the name of a built-in',
      estimator('rewards.map((own) => own.map(() => 0))', 'grpo'),
      'name-taken',
    ],
    [
      'replaces a built-in',
      `estimators: [AdvEstimator('grpo', { summary: 's', override: true })(({ rewards }) => ({ advantages: rewards.map((own) => own.map(() => 0)) }))]`,
      'name-replaced',
    ],
    [
      'has a part without a summary',
      `estimators: [${PARTS.estimator.replace("summary: 'r − mean'", '')}]`,
      'no-summary',
    ],
    ['gives NaN', estimator('rewards.map((own) => own.map(() => Number.NaN))'), 'estimator-contract'],
    ['gives too few advantages', estimator('[]'), 'estimator-contract'],
    ['gives equal rewards more than 0', estimator('rewards.map((own) => [...own])'), 'estimator-unusual'],
    ['groups nothing', hook('[]'), 'grouping-hook-contract'],
    [
      'groups by options without defaults',
      `groupingHooks: [GroupingHook('mine', { summary: 's', options: z.strictObject({ key: z.string() }) })(() => [])]`,
      'part-skipped',
    ],
    ['throws while it groups', hook(`{ throw new Error('no'); }`), 'grouping-hook-contract'],
    ['has a backend that calls itself otherwise', backend('other'), 'backend-contract'],
    [
      'has a backend with options without defaults',
      `backends: [{ name: 'mine', summary: 's', options: z.strictObject({ url: z.string() }), create() {} }]`,
      'part-skipped',
    ],
    ['has a tracker that throws at the end', tracker(`throw new Error('no');`), 'tracker-contract'],
    ['rewards with a text', reward(`return '1';`), 'reward-value'],
    [
      'rewards with NaN for a rollout without steps',
      reward('return 1 / trajectory.steps.length - 1 / trajectory.steps.length;'),
      'reward-value',
    ],
    ['throws while it rewards', reward('return trajectory.steps[0].responseIds.length;'), 'reward-threw'],
    [
      'rewards by options without defaults',
      reward('return 1;', 'options: z.strictObject({ a: z.number() }),'),
      'part-skipped',
    ],
    [
      'has a command with an option of every command',
      command(`options: [{ flags: '--json', summary: 's' }]`),
      'command-flags',
    ],
  ])('that %s', async (_what, definition, rule) => {
    const { findings } = await check(definition);
    expect(rulesOf(findings)).toEqual([rule]);
    expect(findings[0]?.file).toBe('plugin.mjs');
  });

  test.each<readonly [string, string]>([
    ['a tracker', tracker('')],
    ['a command', command(`options: [{ flags: '--url <url>', summary: 's' }]`)],
    ['a backend', backend('mine')],
    ['a reward function', reward('return 1;')],
  ])('in order with %s has no findings', async (_what, definition) => {
    expect((await check(definition)).findings).toEqual([]);
  });

  test('is given the options that it needs', async () => {
    const definition = `options: z.strictObject({ url: z.string() }), setup() {}, estimators: [${PARTS.estimator}]`;
    expect((await check(definition, { url: 'x' })).findings).toEqual([]);
    expect(rulesOf((await check(definition, { url: 1 })).findings)).toEqual(['plugin-loads']);
  });

  test('that throws while it is loaded is told with what it threw', async () => {
    const folder = project({ 'plugin.mjs': `throw new Error('no GPU');` });
    const { findings } = await checkPluginPath(join(folder, 'plugin.mjs'), {});
    expect(findings).toMatchObject([{ rule: 'plugin-loads', message: expect.stringContaining('no GPU') }]);
  });

  test('in TypeScript is loaded as an app loads it', async () => {
    const folder = project({ 'plugin.ts': plugin(`estimators: [${PARTS.estimator}]`) });
    expect((await checkPluginPath(join(folder, 'plugin.ts'), {})).findings).toEqual([]);
  });
});

test.each([
  ['a path that is not there', ['absent']],
  ['options that are no JSON', ['.', '--options', '{']],
  ['options that are no object', ['.', '--options', '[1]']],
])('%s is a usage error', async (_what, args) => {
  const folder = project({});
  mkdirSync(join(folder, 'dist'));
  const { code, stderr } = await line(folder, ['plugins', 'check', ...args]);
  expect(code).toBe(2);
  expect(stderr).toContain('error USAGE');
});

test('docs/plugins-check.md has a row for each rule, with its severity, in their order', () => {
  const page = readFileSync(join(ROOT, 'docs/plugins-check.md'), 'utf8');
  const rows = tableAfter(page, 'Rules').map(([rule = '', severity]) => [rule.replaceAll('`', ''), severity]);
  expect(rows).toEqual(Object.entries(CHECK_RULES));
});
