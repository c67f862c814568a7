import { expect, test } from 'vitest';
import { commandLine } from '../../src/cli/command-line.js';

const FLAG = 'workflow.options.apiKey=sk-1';
const SHOWN = 'workflow.options.apiKey=[hidden]';

test.each([
  [['train', '--set', FLAG, '--json'], `train --set ${SHOWN} --json`],
  [['train', `--set=${FLAG}`], `train --set=${SHOWN}`],
  [['train', '-s', FLAG], `train -s ${SHOWN}`],
  [['train', `-s${FLAG}`], `train -s${SHOWN}`],
])('a run does not keep the secret of %j', (words, kept) => {
  expect(commandLine(words, [FLAG])).toBe(kept);
});

test('a run keeps the rest of a command line as it was written', () => {
  const words = ['train', '-c', 'a.json', '--set', 'trainer.seed=7', '--run-dir', 'token=1'];
  expect(commandLine(words, ['trainer.seed=7'])).toBe(words.join(' '));
});
