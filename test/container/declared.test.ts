import { describe, expect, test } from 'vitest';
import { type AdvantageBatch, AdvEstimator } from '../../src/advantage/index.js';
import { createApp } from '../../src/container/index.js';
import { defineWorkflow } from '../../src/workflow/index.js';
import { createProject } from '../plugin-host/project.js';
import { errorOf } from './app-kit.js';

const ofTheProgram = AdvEstimator('of-the-program')((batch: AdvantageBatch) => ({
  advantages: batch.rewards,
}));

describe('what the program declares outside any plugin', () => {
  test('is in every app of the program, unless it is left out', async () => {
    await using app = await createApp();
    await using without = await createApp({}, { useDeclared: false });
    expect(app.estimators.list().find(({ name }) => name === 'of-the-program')?.owner).toBe('program');
    expect(app.estimators.get('of-the-program').estimate).toBe(ofTheProgram);
    expect(without.estimators.has('of-the-program')).toBe(false);
  });

  test('does not hold what a plugin declares', async () => {
    const directory = await createProject({
      'p.ts': `import { AdvEstimator } from 'rllm-sdk'; AdvEstimator('of-a-plugin')(() => ({ advantages: [] })); export {};`,
    });
    await using app = await createApp({ plugins: ['./p.ts'] }, { baseDirectory: directory });
    await using other = await createApp();
    expect(app.estimators.list().find(({ name }) => name === 'of-a-plugin')?.owner).toBe('./p.ts');
    expect(other.estimators.has('of-a-plugin')).toBe(false);
  });

  test('gives way to a workflow of the same name that is given to the app', async () => {
    const [first, second] = [1, 2].map(() => defineWorkflow('twice', async () => undefined));
    await using app = await createApp({}, first === undefined ? {} : { workflow: first });
    expect(app.workflows.get('twice')).toBe(first);
    expect(app.workflows.get('twice')).not.toBe(second);
    const error = await errorOf(createApp());
    expect(error.message).toContain('Two parts bring the workflow "twice": program and program');
  });
});
