import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { HOOK_POINTS } from '../../src/plugin-host/index.js';
import { guessProject } from '../cli/guess-project.js';
import { line } from '../cli/in-process.js';
import { rllm } from '../cli/rllm.js';

// These are no tests of the SDK: without them, the suite with the plugin might be the suite without it.
describe('the plugin that does nothing is called at every point', { timeout: 60_000 }, () => {
  afterEach(() => vi.unstubAllEnvs());
  const train = ['train', '--quiet', '--set', 'trainer.totalBatches=2', '--set', 'trainer.testFreq=1'];

  /** How often each app called each point, of a project in which something has run. */
  function callsIn(folder: string): readonly Readonly<Record<string, number>>[] {
    const file = join(folder, 'calls');
    if (!existsSync(file)) return [];
    return readFileSync(file, 'utf8')
      .trim()
      .split('\n')
      .map((text) => JSON.parse(text));
  }

  const once = { setup: 1, onTrainStart: 1, onBatchStart: 2, onUpdateEnd: 2, onTrainEnd: 1 };

  test('by apps of the process of a test', async () => {
    const folder = guessProject();
    vi.stubEnv('NO_OP_CALLS', join(folder, 'calls'));
    expect(await line(folder, train)).toMatchObject({ code: 0, stderr: '' });
    const [calls = {}, ...more] = callsIn(folder);
    expect(calls).toMatchObject(once);
    expect(Object.keys(calls).sort()).toEqual(['setup', ...HOOK_POINTS].sort());
    expect(more).toEqual([]);
  });

  test('by apps of a program that a test starts', async () => {
    const folder = guessProject();
    expect(await rllm(folder, train, { NO_OP_CALLS: join(folder, 'calls') })).toMatchObject({
      code: 0,
      stderr: '',
    });
    const [calls = {}, ...more] = callsIn(folder);
    expect(calls).toMatchObject(once);
    expect(Object.keys(calls).sort()).toEqual(['setup', ...HOOK_POINTS].sort());
    expect(more).toEqual([]);
  });
});
