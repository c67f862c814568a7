import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { CONFIG, guessProject } from './guess-project.js';
import { eventsOf, rllm } from './rllm.js';

/** A plugin of hooks alone that ends a run at the first validation after a step. */
const stopper = (version: string): string => `
import { definePlugin } from 'rllm-sdk';

class Stopper {
  onValidationEnd({ globalStep }, _metrics, run) {
    if (globalStep > 0) run.stop('it \\u001b[31mlearned\\nenough');
  }
}

export default definePlugin({ name: 'stopper', version: '${version}', apiVersion: 1, hooks: new Stopper() });
`;

function stoppingProject(): string {
  const trainer = { ...CONFIG.trainer, testFreq: 2, totalBatches: 4 };
  return guessProject({
    'stopper.mjs': stopper('1.0.0'),
    'rllmrc.json': { ...CONFIG, plugins: [...CONFIG.plugins, './stopper.mjs'], trainer },
  });
}

const read = (...path: readonly string[]): string => readFileSync(join(...path), 'utf8');

describe('a run that a hook has stopped', () => {
  test('is complete, and says who stopped it and why, on one line without escape codes', async () => {
    const folder = stoppingProject();
    const { code, stdout } = await rllm(folder, ['train', '--run-dir', 'run']);
    expect(code).toBe(0);
    const reason = 'by stopper: it \\u001b[31mlearned enough';
    expect(stdout).toContain(`stopping after step 2, ${reason}`);
    expect(stdout).toMatch(/completed · 2 steps/);
    expect(stdout.split('\n').some((line) => line.includes('stopped') && line.endsWith(reason))).toBe(true);
    expect(JSON.parse(read(folder, 'run', 'manifest.json'))).toMatchObject({
      ended: { status: 'completed', step: 2, stopped: { by: 'stopper' } },
    });
  });

  test('says so in JSON, and goes on when it is resumed', async () => {
    const folder = stoppingProject();
    const stopped = { by: 'stopper', reason: 'it \u001b[31mlearned\nenough' };
    const first = eventsOf(await rllm(folder, ['train', '--run-dir', 'run', '--json']));
    expect(first).toContainEqual({ event: 'stop', step: 2, ...stopped });
    expect(first.at(-1)).toMatchObject({ event: 'end', status: 'completed', summary: { steps: 2, stopped } });
    const second = eventsOf(await rllm(folder, ['train', '--resume', 'run', '--json']));
    expect(second.flatMap((event) => (event['event'] === 'step' ? [event['step']] : []))).toEqual([3, 4]);
    expect(second.at(-1)).toMatchObject({ summary: { steps: 4, stopped: null } });
  });
});

describe('a run whose plugins have changed', () => {
  test('is refused with a table of what changed, and goes on with --allow-plugin-change', async () => {
    const folder = stoppingProject();
    await rllm(folder, ['train', '--run-dir', 'run']);
    const before = read(folder, 'run', 'manifest.json');
    writeFileSync(join(folder, 'stopper.mjs'), stopper('1.1.0'));
    const refused = await rllm(folder, ['train', '--resume', 'run']);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain('PLUGIN_CHANGED');
    expect(refused.stderr).toContain('stopper  1.0.0 → 1.1.0');
    expect(refused.stderr).toContain('--allow-plugin-change');
    expect(read(folder, 'run', 'manifest.json')).toBe(before);
    const { code } = await rllm(folder, ['train', '--resume', 'run', '--allow-plugin-change']);
    expect(code).toBe(0);
    expect(JSON.parse(read(folder, 'run', 'manifest.json'))).toMatchObject({
      resumed: [{ pluginChanges: [{ name: 'stopper', change: 'version', before: '1.0.0', after: '1.1.0' }] }],
      ended: { status: 'completed', step: 4 },
    });
  });

  test('is refused with --no-plugins too, though names in its config are then unknown', async () => {
    const folder = stoppingProject();
    await rllm(folder, ['train', '--run-dir', 'run']);
    const { code, stderr } = await rllm(folder, ['train', '--resume', 'run', '--no-plugins']);
    expect(code).toBe(2);
    expect(stderr).toContain('PLUGIN_CHANGED');
    expect(stderr).toContain('guess    no version → not named');
    expect(stderr).toContain('stopper  1.0.0 → not named');
  });
});

test('--allow-plugin-change is for --resume alone', async () => {
  const { code, stderr } = await rllm(guessProject(), ['train', '--allow-plugin-change']);
  expect(code).toBe(2);
  expect(stderr).toContain('--resume DIR');
});
