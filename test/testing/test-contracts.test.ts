import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { AdvEstimator, calculateRlooAdvantages } from '../../src/advantage/index.js';
import { GroupingHook, taskRoleGrouping } from '../../src/grouping/index.js';
import {
  estimatorContract,
  groupingHookContract,
  inMemoryBackend,
  testBackend,
  testEstimator,
  testGroupingHook,
  testTracker,
} from '../../src/testing/index.js';
import { consoleTracker } from '../../src/tracking/index.js';
import { project, ROOT } from '../cli/project.js';

const mine = AdvEstimator('mine')(({ rewards }) => calculateRlooAdvantages(rewards));
const hook = GroupingHook('mine')((episodes, transform) => taskRoleGrouping(episodes, transform));
const backend = inMemoryBackend({ policy: ({ random }) => (random.int(2) === 0 ? 'a' : 'b') });

describe('suites under vitest, without its globals', () => {
  testEstimator(mine);
  testGroupingHook(hook);
  testTracker(consoleTracker);
  testBackend(backend, { tooLong: null, updates: 0 });
});

test('a runner that is given gets a test for each check, by its name', () => {
  const names: string[] = [];
  const record = (name: string): void => void names.push(name);
  testEstimator(mine, { test: record });
  testGroupingHook(hook, { test: record });
  const checks = [...estimatorContract(mine), ...groupingHookContract(hook)];
  expect(names).toEqual(checks.map(({ name }) => name));
});

test('under node:test a suite runs by the function that is passed, and says so when none is', async () => {
  const folder = project({ 'package.json': '{ "type": "module" }' });
  const body = (call: string): string => `
    import test from 'node:test';
    import { AdvEstimator } from ${JSON.stringify(join(ROOT, 'dist/index.js'))};
    import { testEstimator } from ${JSON.stringify(join(ROOT, 'dist/testing/index.js'))};
    const zero = AdvEstimator('zero')(({ rewards }) => ({ advantages: rewards.map((own) => own.map(() => 0)) }));
    ${call};
    void test;
  `;
  writeFileSync(join(folder, 'given.test.js'), body('testEstimator(zero, { test })'));
  writeFileSync(join(folder, 'missing.test.js'), body('testEstimator(zero)'));
  const run = (file: string) =>
    promisify(execFile)(process.execPath, ['--test', '--test-reporter', 'tap', file], { cwd: folder }).then(
      ({ stdout }) => stdout,
      ({ stdout }: { readonly stdout: string }) => stdout,
    );
  const given = await run('given.test.js');
  expect(given).toMatch(/^# fail 0$/m);
  expect(given).toContain('an empty batch gets no advantages');
  expect(await run('missing.test.js')).toContain('pass its function: { test }');
});
