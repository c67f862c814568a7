import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Requirement } from '../advantage/index.js';
import type { Backend, BackendCapabilities } from '../backend/index.js';
import { createApp } from '../container/index.js';
import type { ModelOutput, Step } from '../types/index.js';
import { type BackendContractOptions, type BackendSubject, stateOf } from './backend-subject.js';
import type { ContractCheck } from './contract-check.js';
import { frozen } from './contract-groups.js';
import { expectFailure, expectThat } from './contract-values.js';
import { expectSameOutputs } from './output-checks.js';
import { inFolder } from './temporary-folder.js';

/** What a backend that trains must do besides, a check for each loss and capability that it claims. */
export function backendTrainingChecks(
  subject: BackendSubject,
  capabilities: BackendCapabilities,
  { deterministic = true, updates = 30 }: BackendContractOptions,
): readonly ContractCheck[] {
  const checks: ContractCheck[] = [];
  const add = (name: string, run: () => Promise<void>): void => void checks.push({ name, run });

  add('making a batch changes nothing: no group, no weights', () =>
    subject.use(async (backend) => {
      const outputs = await subject.sample(backend, 4);
      const state = stateOf(1, [subject.group(outputs)]);
      frozen(state.trajectoryGroups);
      backend.transformToBackendBatch(state);
      backend.transformToBackendBatch(state);
      expectThat(backend.weightVersion === 0, `its weights became ${backend.weightVersion}`);
      if (deterministic) expectSameOutputs(await subject.sample(backend, 4), outputs, 'after two batches');
    }),
  );
  add('weightVersion counts updates from 0, and nothing else', () =>
    subject.use(async (backend) => {
      for (const step of [0, 1, 2]) {
        expectThat(backend.weightVersion === step, `after ${step} updates it is ${backend.weightVersion}`);
        const outputs = await subject.sample(backend, 4, step);
        await subject.update(backend, outputs, alternating, step + 1);
      }
    }),
  );
  for (const lossFn of capabilities.losses) {
    add(`trains a step with the loss "${lossFn}"`, () =>
      subject.use(
        async (backend) => {
          const metrics = await subject.update(backend, await subject.sample(backend, 4), alternating);
          expectThat(backend.weightVersion === 1, `its weights are ${backend.weightVersion} after an update`);
          for (const [name, value] of Object.entries(metrics)) {
            expectThat(Number.isFinite(value), `its metric ${name} is ${value}`);
          }
        },
        { lossFn },
      ),
    );
  }
  add('a loss that it does not list is refused before anything runs', async () => {
    const plugins = [{ name: 'contract', apiVersion: 1, backends: [subject.definition] }];
    const options = { plugins, useDeclared: false };
    await expectFailure(createApp(subject.input({ lossFn: 'no such loss' }), options), undefined, 'its app');
    await using _app = await createApp(subject.input(), options);
  });
  add('advantages of 0 move nothing', () =>
    subject.use(
      async (backend) => {
        const before = await subject.sample(backend, 4);
        await subject.update(backend, before, () => 0);
        if (deterministic)
          expectSameOutputs(await subject.sample(backend, 4), before, 'after an update by 0');
      },
      { adam: { ...subject.config().algorithm.adam, weightDecay: 0 } },
    ),
  );
  if (capabilities.perTokenAdvantages) {
    add('takes an advantage for each token', () =>
      subject.use(async (backend) => {
        const outputs = await subject.sample(backend, 4);
        const ofToken = ({ responseIds }: Step): readonly number[] =>
          responseIds.map((_, t) => (t % 2) - 0.5);
        await subject.update(backend, outputs, ofToken);
        expectThat(backend.weightVersion === 1, `its weights are ${backend.weightVersion} after an update`);
      }),
    );
  }
  if (updates > 0) {
    add(`a reply that pays is given more often, within ${updates} updates`, () =>
      subject.use((backend) => learns(subject, backend, updates)),
    );
  }
  for (const field of ['values', 'referenceLogprobs'] as const) {
    if (capabilities[field] !== true) continue;
    add(`writes step.${field} in stage 5 where they are asked for`, () =>
      subject.use((backend) => annotates(subject, backend, field), {}, [field]),
    );
  }
  if (capabilities.checkpoints) {
    add('a checkpoint brings back what was saved, and training goes on from it the same', () =>
      inFolder((folder) => roundTrip(subject, folder, deterministic)),
    );
    add('a folder without a checkpoint is refused with CHECKPOINT_INVALID', () =>
      inFolder((folder) =>
        subject.use((backend) =>
          expectFailure(backend.loadCheckpoint(folder), 'CHECKPOINT_INVALID', 'an empty folder'),
        ),
      ),
    );
  }
  return checks;
}

function alternating(_step: Step, i: number): number {
  return i % 2 === 0 ? 1 : -1;
}

/** One token decides: the most frequent first reply pays, all others cost as much together. */
async function learns(subject: BackendSubject, backend: Backend, updates: number): Promise<void> {
  const n = 32;
  const oneToken = { temperature: 1, topP: 1, maxTokens: 1 };
  const key = ({ completionIds, text }: ModelOutput): string => JSON.stringify(completionIds[0] ?? text);
  const first = (await subject.sample(backend, n, 0, oneToken)).map(key);
  const count = (replies: readonly string[], reply: string): number =>
    replies.filter((one) => one === reply).length;
  const target = first.reduce((best, reply) => (count(first, reply) > count(first, best) ? reply : best));
  const before = count(first, target);
  for (let step = 1; step <= updates; step++) {
    const outputs = await subject.sample(backend, n, step, oneToken);
    const pays = outputs.map((output) => key(output) === target);
    const mean = pays.filter(Boolean).length / n;
    await subject.update(backend, outputs, (_step, i) => Number(pays[i] === true) - mean, step);
  }
  const after = count((await subject.sample(backend, n, updates + 1, oneToken)).map(key), target);
  expectThat(
    after > before || after === n,
    `it was given ${before} of ${n} times before, and ${after} after`,
  );
}

async function annotates(
  subject: BackendSubject,
  backend: Backend,
  field: Extract<Requirement, 'values' | 'referenceLogprobs'>,
): Promise<void> {
  const group = subject.group(await subject.sample(backend, 4));
  const state = stateOf(1, [group]);
  state.backendBatch = backend.transformToBackendBatch(state);
  await backend.processBatch(state);
  for (const { steps } of group.trajectories) {
    for (const step of steps) {
      const written = step[field];
      const fits = written?.length === step.responseIds.length && written.every(Number.isFinite);
      expectThat(fits, `${step.responseIds.length} tokens got ${field} ${JSON.stringify(written)}`);
    }
  }
}

/** Saves after an update, so that an optimiser has something to remember, and compares what comes next with never having stopped. */
async function roundTrip(subject: BackendSubject, folder: string, deterministic: boolean): Promise<void> {
  const saved = join(folder, 'checkpoint');
  await mkdir(saved);
  const next = async (backend: Backend, outputs: readonly ModelOutput[]): Promise<ModelOutput[]> => {
    await subject.update(backend, outputs, (_step, i) => (i % 4) - 1.5, 2);
    return subject.sample(backend, 4, 3);
  };
  const expectVersion = (backend: Backend): void =>
    expectThat(backend.weightVersion === 1, `weights 1 were saved, and ${backend.weightVersion} came back`);
  const expectSame = (got: readonly ModelOutput[], expected: readonly ModelOutput[], when: string): void => {
    if (deterministic) expectSameOutputs(got, expected, when);
  };
  const { outputs, later } = await subject.use(async (backend) => {
    await subject.update(backend, await subject.sample(backend, 4), alternating);
    await backend.saveCheckpoint(saved);
    const own = await subject.sample(backend, 4, 2);
    const after = await next(backend, own);
    await backend.loadCheckpoint(saved);
    expectVersion(backend);
    expectSame(await subject.sample(backend, 4, 2), own, 'after going back to the checkpoint');
    return { outputs: own, later: after };
  });
  await subject.use(async (backend) => {
    await backend.loadCheckpoint(saved);
    expectVersion(backend);
    expectSame(await subject.sample(backend, 4, 2), outputs, 'in a new backend');
    expectSame(await next(backend, outputs), later, 'an update later in a new backend');
  });
}
