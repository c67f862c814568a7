import { expect, test } from 'vitest';
import { invocation, nearPath, shellQuoted } from '../../src/cli/invocation.js';

test.each([
  ['/home/me/app/node_modules/.bin/rllm', 'npx rllm'],
  ['/home/me/app/node_modules/rllm-sdk/dist/cli/main.js', 'npx rllm'],
  ['/usr/local/bin/rllm', 'rllm'],
  ['/home/me/app/dist/cli/main.js', 'node dist/cli/main.js'],
  ['/opt/my tools/main.js', "node '/opt/my tools/main.js'"],
])('called as %s, printed commands begin with %s', (script, expected) => {
  expect(invocation(script, '/home/me/app')).toBe(expected);
});

test.each([
  ['runs/a/b', 'runs/a/b'],
  ['with space', "'with space'"],
  ["it's", "'it'\\''s'"],
  ['$HOME', "'$HOME'"],
])('a shell reads %s as one word', (word, expected) => {
  expect(shellQuoted(word)).toBe(expected);
});

test('a path below the current folder is shown relative to it, another as it is', () => {
  expect(nearPath('/a/b/c', '/a/b')).toBe('c');
  expect(nearPath('/a/x', '/a/b')).toBe('/a/x');
  expect(nearPath('/a/b', '/a/b')).toBe('/a/b');
});
