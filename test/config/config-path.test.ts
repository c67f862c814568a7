import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatPath, parsePath } from '../../src/config/index.js';

test.each([
  [['a', 'b'], 'a.b'],
  [['plugins', '0', 'use'], 'plugins.0.use'],
  [['m', 'a.b'], 'm["a.b"]'],
  [['m', ''], 'm[""]'],
  [['x=y'], '["x=y"]'],
])('%j is written %s', (path, text) => {
  expect(formatPath(path)).toBe(text);
});

test('any path reads back as it was written', () => {
  const paths = fc.array(fc.string({ unit: 'grapheme' }), { minLength: 1, maxLength: 5 });
  fc.assert(
    fc.property(paths, (path) => {
      expect(parsePath(`${formatPath(path)}=value`)).toEqual({ path, rest: '=value' });
    }),
  );
});

test('brackets hold a position or a quoted key', () => {
  expect(parsePath('plugins[1].options')?.path).toEqual(['plugins', '1', 'options']);
});

test.each(['', '=x', '.a', 'a.', 'a..b', 'a[', 'a[x]', 'a["x]', 'a]'])('%j is no path', (text) => {
  expect(parsePath(text)).toBeUndefined();
});
