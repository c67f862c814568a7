import { expect, test } from 'vitest';
import { HAS_NO_OP } from '../no-op/has-no-op.js';
import { CONFIG, guessProject } from './guess-project.js';
import { project } from './project.js';
import { eventsOf, rllm } from './rllm.js';

const ESTIMATOR = `
import { AdvEstimator } from 'rllm-sdk';
export const grpo = AdvEstimator('grpo', { summary: 'r - best', override: true })(({ rewards }) => ({
  advantages: rewards.map((group) => group.map((r) => r - Math.max(...group))),
}));
`;

test('estimators list names the built-in estimators with formula, owner and paper, in any folder', async () => {
  const { code, stdout } = await rllm(project({}), ['estimators', 'list']);
  expect(code).toBe(0);
  for (const name of ['grpo', 'reinforce', 'reinforce_plus_plus_baseline', 'rloo']) {
    expect(stdout).toMatch(new RegExp(`^${name} +built-in +.*https?://`, 'm'));
  }
});

test('estimators list shows who owns an overridden name', async () => {
  const folder = guessProject({
    'own.ts': ESTIMATOR,
    'rllmrc.json': { ...CONFIG, plugins: [...CONFIG.plugins, './own.ts'] },
  });
  const outcome = await rllm(folder, ['estimators', 'list', '--json']);
  const [list] = eventsOf(outcome) as unknown as [readonly { name: string }[]];
  expect(list.find(({ name }) => name === 'grpo')).toMatchObject({ owner: './own.ts', summary: 'r - best' });
});

test('plugins list shows each plugin with its file, what it brings and what it overrides', async () => {
  const folder = guessProject({
    'own.ts': ESTIMATOR,
    'rllmrc.json': { ...CONFIG, plugins: [...CONFIG.plugins, './own.ts'] },
  });
  const { code, stdout } = await rllm(folder, ['plugins', 'list']);
  expect(code).toBe(0);
  expect(stdout).toMatch(/guess \(guess\.ts\)\n {2}backends +in-memory\n {2}workflows +guess\n/);
  expect(stdout).toMatch(
    /\.\/own\.ts \(own\.ts\)\n {2}estimators +grpo\n {2}overrides +grpo \(estimators\)\n/,
  );
});

test.skipIf(HAS_NO_OP)('plugins list in a folder without plugins says so', async () => {
  expect(await rllm(project({}), ['plugins', 'list'])).toMatchObject({
    code: 0,
    stdout: 'The configuration names no plugins.\n',
  });
});
