import { readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { CONFIG, guessProject } from './guess-project.js';
import { project, ROOT } from './project.js';
import { eventsOf, rllm } from './rllm.js';

test('config print shows every value with where it comes from', async () => {
  const folder = guessProject();
  const { code, stdout } = await rllm(folder, ['config', 'print', '--set', 'trainer.seed=7'], {
    RLLM_ROLLOUT__N_VAL: '3',
  });
  expect(code).toBe(0);
  const row = (path: string) => stdout.split('\n').find((line) => line.startsWith(`${path} `));
  expect(row('trainer.seed')).toMatch(/ 7 +--set trainer\.seed$/);
  expect(row('rollout.n')).toMatch(/ 4 +rllmrc\.json:1$/);
  expect(row('rollout.nVal')).toMatch(/ 3 +RLLM_ROLLOUT__N_VAL$/);
  expect(row('algorithm.estimator')).toMatch(/ "grpo" +default$/);
});

test('config print hides secrets, in text and in JSON', async () => {
  const folder = guessProject({
    'rllmrc.json': {
      ...CONFIG,
      backend: { name: 'in-memory', options: { 'in-memory': { apiKey: 'sk-1234' } } },
    },
  });
  const text = await rllm(folder, ['config', 'print']);
  const json = await rllm(folder, ['config', 'print', '--json']);
  expect(text.code).toBe(0);
  expect(text.stdout + json.stdout).not.toContain('sk-1234');
  expect(eventsOf(json)).toMatchObject([
    {
      file: join(folder, 'rllmrc.json'),
      config: { rollout: { n: 4 } },
      sources: { 'rollout.n': { from: 'file' } },
    },
  ]);
});

test('config print works without a config file: all is default', async () => {
  const { code, stdout } = await rllm(project({}), ['config', 'print']);
  expect(code).toBe(0);
  expect(stdout).toMatch(/trainer\.seed +\d+ +default/);
});

test('config validate accepts what would train and refuses what would not', async () => {
  const folder = guessProject();
  const good = await rllm(folder, ['config', 'validate']);
  expect(good).toMatchObject({ code: 0, stdout: 'rllmrc.json is valid.\n', stderr: '' });
  const bad = await rllm(folder, ['config', 'validate', '--set', 'workflow.use=gess', '--json']);
  expect(bad.code).toBe(2);
  expect(bad.stderr).toContain('"guess"');
  expect(eventsOf(bad)).toMatchObject([{ event: 'error', faults: [{ path: 'workflow.use' }] }]);
});

test('--no-plugins loads none', async () => {
  const { code, stderr } = await rllm(guessProject(), ['config', 'validate', '--no-plugins']);
  expect(code).toBe(2);
  expect(stderr).toContain('in-memory');
});

test('config schema prints what the package ships', async () => {
  const { code, stdout } = await rllm(project({}), ['config', 'schema']);
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toEqual(JSON.parse(readFileSync(join(ROOT, 'rllmrc.schema.json'), 'utf8')));
});

test('config schema --with-plugins knows the options of estimators that plugins bring', async () => {
  const folder = project({
    'rllmrc.json': { plugins: ['./estimator.ts'] },
    'estimator.ts': `
      import { AdvEstimator } from 'rllm-sdk';
      import { z } from 'zod';
      export const scaled = AdvEstimator('scaled', { options: z.strictObject({ by: z.number().default(2) }) })(
        ({ rewards }) => ({ advantages: rewards }),
      );`,
  });
  symlinkSync(join(ROOT, 'node_modules', 'zod'), join(folder, 'node_modules', 'zod'));
  const { code, stdout } = await rllm(folder, ['config', 'schema', '--with-plugins']);
  expect(code).toBe(0);
  const { estimatorOptions } = JSON.parse(stdout).properties.algorithm.properties;
  expect(estimatorOptions.properties.scaled).toMatchObject({
    properties: { by: { type: 'number', default: 2 } },
    additionalProperties: false,
  });
});

test('config schema --with-plugins knows names and options of every kind, and leaves other names allowed', async () => {
  const folder = project({
    'rllmrc.json': { plugins: ['./parts.ts'] },
    'parts.ts': `
      import { definePlugin, defineWorkflow, GroupingHook, RewardFunction } from 'rllm-sdk';
      import { z } from 'zod';
      const options = z.strictObject({ by: z.number().default(2) });
      export default definePlugin({
        name: 'parts',
        apiVersion: 1,
        options,
        groupingHooks: [GroupingHook('by_level', { options })(() => [])],
        workflows: [defineWorkflow({ name: 'solve', options, run: async () => {} })],
        rewards: [RewardFunction('math', { options })(() => 1)],
        datasets: [{ name: 'table', summary: '', options, open: () => [] }],
        trackers: [{ name: 'board', summary: '', create: () => ({ name: 'board', log() {}, finish() {} }) }],
      });`,
  });
  symlinkSync(join(ROOT, 'node_modules', 'zod'), join(folder, 'node_modules', 'zod'));
  const { code, stdout } = await rllm(folder, ['config', 'schema', '--with-plugins']);
  expect(code).toBe(0);
  const { transform, workflow, reward, data, plugins, tracking, algorithm, backend } =
    JSON.parse(stdout).properties;
  const by = { properties: { by: { type: 'number', default: 2 } }, additionalProperties: false };
  const beside = (use: string) => ({
    if: { properties: { use: { const: use } } },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema.
    then: { properties: { options: by } },
  });
  const text = { type: 'string', minLength: 1 };
  expect(algorithm.properties.estimator.anyOf).toEqual([{ enum: expect.arrayContaining(['grpo']) }, text]);
  expect(transform.properties.groupingHook.anyOf).toEqual([{ enum: ['task_role', 'by_level'] }, text]);
  expect(transform.properties.groupingOptions.properties.by_level).toMatchObject(by);
  expect(workflow.properties.use.anyOf).toEqual([{ enum: ['solve'] }, { type: 'string' }]);
  expect(workflow.allOf).toMatchObject([beside('solve')]);
  const [entry, bareName] = reward.properties.functions.items.anyOf;
  expect(bareName.anyOf).toEqual([{ enum: ['workflow', 'length', 'solved', 'math'] }, text]);
  expect(entry.allOf).toMatchObject([beside('math')]);
  expect(data.properties.train.anyOf[0].anyOf[0].allOf).toMatchObject([{}, beside('table')]);
  expect(plugins.items.anyOf[0].allOf).toMatchObject([beside('./parts.ts')]);
  expect(tracking.properties.trackers.items.anyOf).toEqual([{ enum: ['console', 'board'] }, text]);
  expect(backend.anyOf[0].properties.options.properties.local.properties).toHaveProperty('workers');
});
