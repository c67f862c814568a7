import { cp, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { LocalBackend } from '../../../src/backend/local/local-backend.js';
import type { RowBatch } from '../../../src/backend/row-batch.js';
import type { ModelOutput, Step, TrainerState } from '../../../src/types/index.js';
import { createLocal, group, localConfig, rawOptions, trainerState } from './build-local.js';
import { asTrajectory, call, newFolder, start, update } from './local-runs.js';

async function samples(backend: LocalBackend, at = 1): Promise<ModelOutput[]> {
  return Promise.all(
    Array.from({ length: 8 }, (_, rolloutIndex) =>
      backend.rolloutEngine.getModelResponse(call({ rolloutIndex, step: at })),
    ),
  );
}

function stateOf(outputs: readonly ModelOutput[], advantage = 1): TrainerState<RowBatch> {
  return trainerState(1, [
    group(
      'solver',
      outputs.map((output, i) => asTrajectory(output, i % 2 === 0 ? advantage : -advantage)),
    ),
  ]);
}

function stepsOf({ trajectoryGroups }: TrainerState<RowBatch>): Step[] {
  return trajectoryGroups.flatMap(({ trajectories }) => trajectories.flatMap(({ steps }) => steps));
}

function expectClose(found: readonly (number | null)[] | undefined, expected: readonly number[]): void {
  expect(found).toHaveLength(expected.length);
  for (const [t, logprob] of expected.entries()) expect(found?.[t]).toBeCloseTo(logprob, 5);
}

test('reference log-probs are the sampled ones before the first update, and those of the same tokens stay', async () => {
  const backend = await start({}, rawOptions(), 1, ['referenceLogprobs']);
  const outputs = await samples(backend);
  const first = stateOf(outputs);
  const metrics = await update(backend, first);
  for (const { referenceLogprobs, logprobs } of stepsOf(first)) expectClose(referenceLogprobs, logprobs);
  expect(metrics['train/kl_reference']).toBeCloseTo(0, 5);
  const before = stepsOf(first).map(({ referenceLogprobs }) => referenceLogprobs);
  for (let i = 0; i < 5; i++) await update(backend, stateOf(outputs));
  const again = stateOf(outputs);
  await update(backend, again);
  expect(stepsOf(again).map(({ referenceLogprobs }) => referenceLogprobs)).toEqual(before);
  const moved = await update(backend, stateOf(await samples(backend, 2)));
  expect(Math.abs(moved['train/kl_reference'] as number)).toBeGreaterThan(0.01);
});

test('nothing that nobody asks for is computed or saved', async () => {
  const backend = await start();
  const state = stateOf(await samples(backend));
  await update(backend, state);
  for (const step of stepsOf(state)) {
    for (const field of ['values', 'referenceLogprobs', 'teacherLogprobs'])
      expect(step).not.toHaveProperty(field);
  }
});

/** A checkpoint as the trainer lays it out, and what its policy says of the outputs of another one. */
async function trainedCheckpoint(
  raw: Record<string, unknown>,
  seed: number,
): Promise<[LocalBackend, string]> {
  const backend = await start({}, raw, seed, ['values']);
  for (let i = 0; i < 3; i++) await update(backend, stateOf(await samples(backend)));
  const folder = await newFolder();
  await mkdir(join(folder, 'backend'));
  await backend.saveCheckpoint(join(folder, 'backend'));
  return [backend, folder];
}

test.each(['teacher', 'reference'] as const)(
  'a %s is read from a checkpoint of any size with the same words',
  async (role) => {
    const model = { dModel: 24, nLayers: 2, nHeads: 3, contextLength: 20 };
    const [origin, folder] = await trainedCheckpoint(rawOptions({ model }), 7);
    const own = await samples(origin);
    const backend = await start({}, rawOptions({ [role]: { checkpoint: folder } }));
    const state = stateOf(own);
    const metrics = await update(backend, state);
    for (const step of stepsOf(state)) expectClose(step[`${role}Logprobs`], step.logprobs);
    expect(metrics[`train/kl_${role}`]).toBeCloseTo(0, 5);
    // The folder of the backend's part is as good.
    const inner = await start({}, rawOptions({ [role]: { checkpoint: join(folder, 'backend') } }));
    const same = stateOf(own);
    await update(inner, same);
    expect(stepsOf(same).map((step) => step[`${role}Logprobs`])).toEqual(
      stepsOf(state).map((step) => step[`${role}Logprobs`]),
    );
  },
);

test('relative folders start from the config file', async () => {
  const [, folder] = await trainedCheckpoint(rawOptions(), 7);
  const base = await newFolder();
  await cp(folder, join(base, 'teacher'), { recursive: true });
  const raw = rawOptions({ teacher: { checkpoint: './teacher' } });
  const backend = await createLocal(raw, localConfig(), [], base);
  await backend.start();
  await backend.shutdown();
  await expect((await createLocal(raw)).start()).rejects.toMatchObject({ code: 'CHECKPOINT_INVALID' });
});

test('a teacher that is missing, damaged, of other words, or reads too little is refused at start', async () => {
  const refused = async (checkpoint: string, what: string): Promise<void> => {
    const backend = await createLocal(rawOptions({ teacher: { checkpoint } }));
    await expect(backend.start()).rejects.toMatchObject({
      code: 'CHECKPOINT_INVALID',
      message: expect.stringContaining(what),
    });
  };
  await refused(join(await newFolder(), 'nowhere'), 'local-backend.json');
  const [, short] = await trainedCheckpoint(
    rawOptions({ model: { dModel: 8, nHeads: 1, contextLength: 8 } }),
    1,
  );
  await refused(short, 'contextLength 12');
  const words = ['<bos>', 'a', 'b', 'c', 'x'];
  const [, foreign] = await trainedCheckpoint(rawOptions({ vocabulary: { words, bos: '<bos>' } }), 1);
  await refused(foreign, 'vocabulary');
  await writeFile(join(short, 'backend', 'local-backend.json'), '{}');
  await refused(short, 'format');
});

test('a run goes on with its own teacher only', async () => {
  const [, first] = await trainedCheckpoint(rawOptions(), 1);
  const [, second] = await trainedCheckpoint(rawOptions(), 2);
  const folder = await newFolder();
  const backend = await start({}, rawOptions({ teacher: { checkpoint: first } }));
  await backend.saveCheckpoint(folder);
  await backend.loadCheckpoint(folder);
  const other = await start({}, rawOptions({ teacher: { checkpoint: second } }));
  await expect(other.loadCheckpoint(folder)).rejects.toMatchObject({
    code: 'CHECKPOINT_INVALID',
    message: expect.stringContaining('another teacher'),
  });
});

test('a greedy call beside sampled ones takes the likeliest tokens, and changes nothing for the others', async () => {
  const backend = await start();
  await update(backend, stateOf(await samples(backend)));
  const alone = await samples(backend, 2);
  const greedy = (rolloutIndex: number): Promise<ModelOutput> =>
    backend.rolloutEngine.getModelResponse(
      call({ rolloutIndex, step: 2, sampling: { temperature: 0, topP: 1, maxTokens: 3 } }),
    );
  const [beside, first, second] = await Promise.all([samples(backend, 2), greedy(100), greedy(101)]);
  expect(beside).toEqual(alone);
  expect(second.completionIds).toEqual(first.completionIds);
  // One that is sampled cannot begin with a likelier token.
  const best = first.logprobs[0] as number;
  for (const { logprobs, completionIds } of alone) {
    if (completionIds[0] !== first.completionIds[0]) expect(logprobs[0]).toBeLessThan(best);
  }
});
