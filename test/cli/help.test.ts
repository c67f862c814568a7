import { expect, test } from 'vitest';
import { project } from './project.js';
import { rllm } from './rllm.js';

test('--help names every command', async () => {
  const { code, stdout, stderr } = await rllm(project({}), ['--help']);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  for (const name of ['train', 'eval', 'config', 'estimators', 'plugins'])
    expect(stdout).toContain(`  ${name} `);
  expect(stdout).toContain('Plugins may bring commands of their own; `rllm plugins list` names them.');
});

test('help loads no part that a run needs', async () => {
  const trace = { NODE_DEBUG: 'esm,module' };
  const { stderr } = await rllm(project({}), ['--help'], trace);
  expect(stderr).toContain('/node_modules/commander/');
  for (const heavy of ['zod', 'tsyringe', 'jiti', 'cosmiconfig', 'reflect-metadata', '@jax-js']) {
    expect(stderr).not.toContain(`/node_modules/${heavy}/`);
  }
});

test('an unknown command or option is a usage error with a suggestion', async () => {
  const folder = project({});
  const command = await rllm(folder, ['trian']);
  expect(command.code).toBe(2);
  expect(command.stderr).toContain('Did you mean train?');
  const option = await rllm(folder, ['train', '--confg', 'x']);
  expect(option.code).toBe(2);
  expect(option.stderr).toContain('Did you mean --config?');
});

test('options that contradict each other are a usage error', async () => {
  const { code, stderr } = await rllm(project({}), ['train', '--resume', 'a', '--config', 'b']);
  expect(code).toBe(2);
  expect(stderr).toContain("cannot be used with option '-c, --config <file>'");
});
