import { expect, test } from 'vitest';
import { painter } from '../../../src/cli/paint.js';
import { errorLines } from '../../../src/cli/render/error-lines.js';
import { RllmError } from '../../../src/errors.js';

const style = { paint: painter(false), verbose: false };

test('a coded error says code, message, cause and what to do, and shows no stack', () => {
  const cause = new TypeError('grade is not a function');
  const error = new RllmError('WORKFLOW_FAILED', 'The workflow threw on task "t1".', { cause });
  expect(errorLines(error, style)).toEqual([
    'error WORKFLOW_FAILED  The workflow threw on task "t1".',
    '  cause: grade is not a function',
    'fix  See the cause; set workflow.raiseOnError to false to go on without failed rollouts.',
  ]);
});

test('each line of a report of faults stays a line', () => {
  const error = new RllmError('CONFIG_INVALID', 'Two faults.\n  a.json: x: one\nb.json: y: two');
  expect(errorLines(error, style).slice(0, 3)).toEqual([
    'error CONFIG_INVALID  Two faults.',
    '  a.json: x: one',
    '  b.json: y: two',
  ]);
});

test('a cause that the message repeats is not said twice, and a cycle of causes ends', () => {
  const cause = new Error('disk full');
  cause.cause = cause;
  const error = new RllmError('BACKEND_FAILED', 'Cannot save: disk full', { cause });
  expect(errorLines(error, style)).toHaveLength(2);
});

test('an error without a code is called a bug', () => {
  const lines = errorLines(new TypeError('x is undefined'), style);
  expect(lines[0]).toBe('error  x is undefined');
  expect(lines[1]).toContain('bug');
  expect(lines.join('\n')).not.toMatch(/\n\s+at /);
});

test('anything may be thrown', () => {
  expect(errorLines('just text', style)[0]).toBe('error  just text');
  expect(errorLines(undefined, style)[0]).toBe('error  undefined');
});

test('--verbose shows the stack of the error and of its cause', () => {
  const error = new RllmError('BACKEND_FAILED', 'outer', { cause: new Error('inner') });
  const text = errorLines(error, { ...style, verbose: true }).join('\n');
  expect(text).toMatch(/stack: outer\n\s+at /);
  expect(text).toMatch(/caused by: inner\n\s+at /);
});

test('what points at a place in the line above it still does', () => {
  const error = new RllmError('CONFIG_UNREADABLE', 'x.yaml:2\n    rollout: [\n             ^\n  more');
  expect(errorLines(error, style).slice(1, 4)).toEqual(['  rollout: [', '           ^', '  more']);
});
