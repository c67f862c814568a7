import { expect, test } from 'vitest';
import { painter, wantsColour } from '../../src/cli/paint.js';

const terminal = { isTTY: true };
const pipe = {};

test.each([
  ['a terminal', terminal, {}, true, true],
  ['a pipe', pipe, {}, true, false],
  ['a terminal with --no-color', terminal, {}, false, false],
  ['a terminal with NO_COLOR', terminal, { NO_COLOR: '1' }, true, false],
  ['a terminal with an empty NO_COLOR, which counts as unset', terminal, { NO_COLOR: '' }, true, true],
  ['a dumb terminal', terminal, { TERM: 'dumb' }, true, false],
  ['a pipe with FORCE_COLOR', pipe, { FORCE_COLOR: '1' }, true, true],
  ['a terminal with FORCE_COLOR=0', terminal, { FORCE_COLOR: '0' }, true, false],
  ['NO_COLOR against FORCE_COLOR', terminal, { NO_COLOR: '1', FORCE_COLOR: '1' }, true, false],
])('colours on %s', (_name, stream, env, flag, expected) => {
  expect(wantsColour(stream, env, flag)).toBe(expected);
});

test('text without colours is the text itself', () => {
  expect(painter(false)('red', 'x')).toBe('x');
  expect(painter(true)('red', 'x')).toBe('\u001b[31mx\u001b[39m');
});
