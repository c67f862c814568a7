import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createApp, type Metrics, RllmError, SILENT } from 'rllm-sdk';
import { expect, test } from 'vitest';
import earlyStop from '../src/index.js';
import { bestOf, type Scripted, scriptedApp, tempFolder } from './support.js';

async function fit(scripted: Scripted, target: { directory?: string; resume?: string }) {
  await using app = await scriptedApp({ ...scripted, app: { run: target, ...scripted.app } });
  return await (await app.trainer()).fit();
}

async function failure(promise: Promise<unknown>): Promise<RllmError> {
  const thrown = await promise.then(() => undefined).catch((error: unknown) => error);
  if (!RllmError.isInstance(thrown)) throw new Error(`not an RllmError: ${String(thrown)}`);
  return thrown;
}

async function validated(run: string, weights: string): Promise<Metrics> {
  await using app = await scriptedApp({ script: SCRIPT, app: { run: null, weights: join(run, weights) } });
  return await (await app.trainer()).validate();
}

const warnTo = (warnings: string[]) => ({ ...SILENT, warn: (line: string) => void warnings.push(line) });

/** Best after two updates: 6 of 8. */
const SCRIPT = [2, 4, 6, 5, 3, 7];

test('a run stops after two validations without improvement, and is completed', async () => {
  const run = tempFolder();
  const summary = await fit({ script: SCRIPT }, { directory: run });
  expect(summary).toMatchObject({ status: 'completed', steps: 4 });
  expect(await bestOf(run)).toEqual({ metric: 'val/unknown/pass@1', mode: 'max', step: 2, value: 0.75 });
});

test('the best checkpoint outlives the run’s own, and validates to the value it is kept for', async () => {
  const run = tempFolder();
  await fit({ script: SCRIPT, trainer: { keepCheckpoints: 1 } }, { directory: run });
  expect(existsSync(join(run, 'checkpoints/step-000002'))).toBe(false);
  expect(await validated(run, 'best')).toMatchObject({ 'val/unknown/pass@1': 0.75 });
});

test('the step that is best is saved for it, where the run saves none', async () => {
  const run = tempFolder();
  await fit({ script: SCRIPT, trainer: { saveFreq: 0 } }, { directory: run });
  expect(await bestOf(run)).toMatchObject({ step: 2 });
  expect(await validated(run, 'best')).toMatchObject({ 'val/unknown/pass@1': 0.75 });
});

test('a target stops at once', async () => {
  const summary = await fit({ script: SCRIPT, options: { target: 0.5 } }, { directory: tempFolder() });
  expect(summary).toMatchObject({ status: 'completed', steps: 1 });
});

test('without patience and target the run goes to its end and keeps the best', async () => {
  const run = tempFolder();
  const summary = await fit({ script: SCRIPT, options: { patience: null } }, { directory: run });
  expect(summary.steps).toBe(8);
  expect(await bestOf(run)).toMatchObject({ step: 5, value: 0.875 });
});

test('keepBest: false copies nothing', async () => {
  const run = tempFolder();
  await fit({ script: SCRIPT, options: { keepBest: false } }, { directory: run });
  expect(existsSync(join(run, 'best'))).toBe(false);
});

test('a run that is resumed remembers what it has seen: patience goes on where it was', async () => {
  const run = tempFolder();
  await fit({ script: SCRIPT, trainer: { totalBatches: 3 } }, { directory: run });
  const summary = await fit({ script: SCRIPT }, { resume: run });
  expect(summary.steps).toBe(4);
  expect(await bestOf(run)).toMatchObject({ step: 2, value: 0.75 });
});

test('a run that had stopped does not train again', async () => {
  const run = tempFolder();
  await fit({ script: SCRIPT }, { directory: run });
  expect(await fit({ script: SCRIPT }, { resume: run })).toMatchObject({ status: 'completed', steps: 4 });
});

test('from an earlier checkpoint, what came after it is forgotten and its best taken back', async () => {
  const run = tempFolder();
  await fit({ script: SCRIPT, options: { patience: null } }, { directory: run });
  expect(await bestOf(run)).toMatchObject({ step: 5 });
  const earlier = { resume: join(run, 'checkpoints/step-000003') };
  await fit({ script: SCRIPT, options: { patience: 1 }, trainer: { totalBatches: 3 } }, earlier);
  expect(await bestOf(run)).toMatchObject({ step: 2, value: 0.75 });
  expect(await validated(run, 'best')).toMatchObject({ 'val/unknown/pass@1': 0.75 });
});

test('a best that is later than the resumed step and cannot be made again is removed, with a word', async () => {
  const run = tempFolder();
  const script = [2, 1, 1, 1, 7, 1];
  const options = { patience: null };
  // Of the best before, step 1, only the copy was left, and step 4 took its place.
  const trainer = { totalBatches: 5, keepCheckpoints: 3, valBeforeTrain: false };
  await fit({ script, options, trainer }, { directory: run });
  expect(await bestOf(run)).toMatchObject({ step: 4 });
  const warnings: string[] = [];
  const app = { logger: warnTo(warnings), run: { resume: join(run, 'checkpoints/step-000003') } };
  await fit({ script, options, trainer: { ...trainer, totalBatches: 3 }, app }, {});
  expect(existsSync(join(run, 'best'))).toBe(false);
  expect(warnings.join('\n')).toContain('was of step 4');
});

test('a metric that no validation has is named, with what is near to it', async () => {
  const options = { metric: 'val/unknwn/pass@1' };
  const error = await failure(fit({ script: SCRIPT, options }, { directory: tempFolder() }));
  expect(error.code).toBe('HOOK_FAILED');
  expect(error.message).toContain('rllm-plugin-early-stop');
  expect(error.message).toContain('Did you mean "val/unknown/pass@1"?');
});

test('a backend without checkpoints is warned about once, and the run stops early all the same', async () => {
  const warnings: string[] = [];
  const app = { logger: warnTo(warnings), run: { directory: tempFolder() } };
  const summary = await fit({ script: SCRIPT, checkpoints: false, trainer: { saveFreq: 0 }, app }, {});
  expect(summary.steps).toBe(4);
  expect(warnings.filter((message) => message.includes('keepBest'))).toHaveLength(1);
});

test('a run that writes nothing stops early all the same', async () => {
  await using app = await scriptedApp({ script: SCRIPT, app: { run: null } });
  expect(await (await app.trainer()).fit()).toMatchObject({ status: 'completed', steps: 4 });
});

test('a validation outside training is only looked at, whatever its metrics', async () => {
  const options = { metric: 'val/other/pass@1' };
  await using app = await scriptedApp({ script: SCRIPT, options, app: { run: null } });
  expect(await (await app.trainer()).validate()).toMatchObject({ 'val/unknown/pass@1': 0.25 });
});

test('a run that never validates is refused at start', async () => {
  const started = createApp(
    { trainer: { testFreq: 0 } },
    { plugins: [{ use: earlyStop, options: { metric: 'val/unknown/pass@1' } }], useDeclared: false },
  );
  const error = await failure(started);
  expect(error.code).toBe('PLUGIN_INVALID');
  expect(error.message).toContain('trainer.testFreq is 0');
});

test('an option that it does not know is refused with its place', async () => {
  const started = createApp(
    {},
    { plugins: [{ use: earlyStop, options: { metric: 'val/x', patiens: 3 } }], useDeclared: false },
  );
  expect((await failure(started)).message).toContain('patiens');
});
