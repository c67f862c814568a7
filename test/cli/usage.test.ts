import { expect, test } from 'vitest';
import { line } from './in-process.js';
import { project } from './project.js';

test.each([
  ['an unknown option', ['train', '--json', '--frob'], /--frob/],
  ['an unknown option before --json', ['train', '--frob', '--json'], /--frob/],
  ['--json where only a command knows it', ['--json', 'train'], /--json/],
  ['an option without its value', ['train', '--json', '--config'], /--config/],
  [
    'two options that exclude each other',
    ['eval', '--json', '--run', 'a', '--checkpoint', 'b'],
    /--checkpoint/,
  ],
  ['a missing argument', ['plugins', 'create', '--json'], /name/],
  ['an unknown command', ['frob', '--json'], /frob/],
  ['a half command', ['config', '--json'], /\S/],
  ['no command at all', ['--json'], /\S/],
])('with --json, %s is one error event', async (_name, args, text) => {
  const { code, stdout, stderr } = await line(project({}), args);
  expect(code).toBe(2);
  expect(stderr).not.toBe('');
  expect(JSON.parse(stdout)).toEqual({
    event: 'error',
    code: 'USAGE',
    message: expect.stringMatching(text),
    fix: expect.any(String),
  });
  expect(JSON.parse(stdout).message).not.toMatch(/^error|outputHelp/);
});

test.each([
  ['without --json', ['train', '--frob']],
  ['with --json as an operand', ['train', '--frob', '--', '--json']],
])('%s, a wrong command line leaves stdout empty', async (_name, args) => {
  expect(await line(project({}), args)).toMatchObject({ code: 2, stdout: '' });
});

test('help and version are no errors under --json', async () => {
  for (const args of [['train', '--json', '--help'], ['--version']]) {
    const { code, stdout } = await line(project({}), args);
    expect(code).toBe(0);
    expect(stdout).not.toContain('USAGE');
  }
});
