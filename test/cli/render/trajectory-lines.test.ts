import { expect, test } from 'vitest';
import { painter } from '../../../src/cli/paint.js';
import { trajectoryLines } from '../../../src/cli/render/trajectory-lines.js';

const view = {
  taskId: 'secret:5',
  rolloutIndex: 3,
  role: 'player',
  reward: 1,
  isCorrect: true,
  terminationReason: 'env_done',
  pieces: [
    { kind: 'prompt', text: '<s>', advantage: null },
    { kind: 'response', text: '4', advantage: 0.5 },
    { kind: 'observation', text: 'higher', advantage: null },
    { kind: 'response', text: '5', advantage: -0.25 },
  ],
} as const;

test('what the model was given and what it is trained on are told apart without colours', () => {
  expect(trajectoryLines(view, painter(false))).toEqual([
    'task secret:5 · rollout 3 · player · reward 1 · correct · env_done',
    '  masked   <s>',
    '  trained  4  (advantage +0.500)',
    '  masked   higher',
    '  trained  5  (advantage -0.250)',
  ]);
});

test('the colour of trained text is the sign of its advantage', () => {
  const lines = trajectoryLines(view, painter(true));
  expect(lines[2]).toContain('\u001b[32m4\u001b[39m');
  expect(lines[4]).toContain('\u001b[31m5\u001b[39m');
});

test('what a model writes cannot command the terminal', () => {
  const text = 'a\nb\t\u001b[2J\u202e';
  const lines = trajectoryLines(
    { ...view, pieces: [{ kind: 'response', text, advantage: 0 }] },
    painter(false),
  );
  expect(lines[1]).toBe('  trained  a\\nb\\t\\u001b[2J\\u202e  (advantage 0)');
});

test('a long text keeps its ends and says how much is left out', () => {
  const text = `${'a'.repeat(400)}${'b'.repeat(400)}`;
  const lines = trajectoryLines(
    { ...view, pieces: [{ kind: 'prompt', text, advantage: null }] },
    painter(false),
  );
  expect(lines[1]).toBe(`  masked   ${'a'.repeat(256)} … 288 characters … ${'b'.repeat(256)}`);
});

test('an empty response and a missing reward are said', () => {
  const empty = { ...view, reward: null, isCorrect: false };
  const lines = trajectoryLines(
    { ...empty, pieces: [{ kind: 'response', text: '', advantage: null }] },
    painter(false),
  );
  expect(lines).toEqual([
    'task secret:5 · rollout 3 · player · no reward · incorrect · env_done',
    '  trained  (empty)',
  ]);
});
