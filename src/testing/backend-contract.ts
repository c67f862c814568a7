import type { Backend, BackendDefinition } from '../backend/index.js';
import { createApp } from '../container/index.js';
import type { ModelOutput } from '../types/index.js';
import type { WorkflowDefinition } from '../workflow/index.js';
import { type BackendContractOptions, BackendSubject } from './backend-subject.js';
import { backendTrainingChecks } from './backend-training-checks.js';
import type { ContractCheck } from './contract-check.js';
import { expectFailure, expectThat } from './contract-values.js';
import { expectSameOutputs, expectSound } from './output-checks.js';

/**
 * What every backend must do, as checks for any test runner. Which checks there are follows from the capabilities that it claims: a
 * claim is a check. Each check builds and starts a backend of its own, calls it as the trainer does, and shuts it down.
 *
 * ```ts
 * for (const { name, run } of backendContract(mine, { options: { url } })) test(name, run);
 * ```
 *
 * @throws Error when no backend can be built from the options, and the definition has no `capabilities`.
 */
export function backendContract(
  definition: BackendDefinition,
  options: BackendContractOptions = {},
): readonly ContractCheck[] {
  const subject = new BackendSubject(definition, options);
  const capabilities = subject.capabilities();
  return [
    ...lifeChecks(subject),
    ...samplingChecks(subject, options),
    {
      name: capabilities.training
        ? 'an app trains and validates with it'
        : 'an app validates with it, and refuses to train',
      run: () => throughAnApp(subject, capabilities.training),
    },
    ...(capabilities.training ? backendTrainingChecks(subject, capabilities, options) : []),
  ];
}

function lifeChecks(subject: BackendSubject): readonly ContractCheck[] {
  return [
    {
      name: 'is what its definition says: it has its name, and trains or not',
      async run() {
        const { name, capabilities } = subject.definition;
        const backend = await subject.build();
        expectThat(backend.name === name, `the backend of "${name}" calls itself "${backend.name}"`);
        const { training } = backend.capabilities;
        const claimed = capabilities?.training ?? training;
        expectThat(claimed === training, `its definition says training: ${claimed}, the backend ${training}`);
        await backend.shutdown();
      },
    },
    {
      name: 'shuts down twice',
      async run() {
        await subject.use((backend) => backend.shutdown());
      },
    },
    {
      name: 'shuts down while it starts',
      async run() {
        const backend = await subject.build();
        const starting = backend.start().catch(() => undefined);
        await backend.shutdown();
        await starting;
        await backend.shutdown();
      },
    },
  ];
}

function samplingChecks(
  subject: BackendSubject,
  { deterministic = true, maxTokens = 4, tooLong }: BackendContractOptions,
): readonly ContractCheck[] {
  const checks: ContractCheck[] = [];
  const add = (name: string, work: (backend: Backend) => Promise<void>): void =>
    void checks.push({ name, run: () => subject.use(work) });

  add('completions are whole: tokens, log-probs ≤ 0, a reason to end', async (backend) => {
    for (const output of await subject.sample(backend, 8)) {
      expectSound(output, backend.capabilities.logprobs);
      const { length } = output.completionIds;
      expectThat(length <= maxTokens, `at most ${maxTokens} tokens were asked for, and ${length} given`);
      const version = output.weightVersion ?? backend.weightVersion;
      expectThat(
        version === backend.weightVersion,
        `its weights are ${backend.weightVersion}, and it says ${version}`,
      );
    }
  });
  if (deterministic) {
    add('equal calls give equal completions, alone or among others', async (backend) => {
      const together = await subject.sample(backend, 6);
      const apart: ModelOutput[] = [];
      for (const [rolloutIndex] of together.entries()) {
        apart.push(await backend.rolloutEngine.getModelResponse(subject.call({ rolloutIndex })));
      }
      expectSameOutputs(apart, together, 'one by one');
    });
  }
  if (tooLong !== null) {
    add('a prompt without room for a completion is refused with PROMPT_TOO_LONG', async (backend) => {
      const messages =
        tooLong ??
        subject.messages.map((message) => ({
          ...message,
          content: new Array<string>(TOO_MANY).fill(message.content).join(' '),
        }));
      await expectFailure(
        backend.rolloutEngine.getModelResponse(subject.call({}, { messages })),
        'PROMPT_TOO_LONG',
        'a prompt that is too long',
      );
      expectSound(
        await backend.rolloutEngine.getModelResponse(subject.call()),
        backend.capabilities.logprobs,
      );
    });
  }
  add('a call whose signal has fired gives nothing', async (backend) => {
    const call = subject.call({}, { signal: AbortSignal.abort() });
    expectThat(await isAborted(backend.rolloutEngine.getModelResponse(call)), 'an aborted call was answered');
  });
  add('a call that is aborted ends, and the next one is answered', async (backend) => {
    const stop = new AbortController();
    const going = isAborted(
      backend.rolloutEngine.getModelResponse(subject.call({}, { signal: stop.signal })),
    );
    stop.abort();
    await going;
    expectSound(await backend.rolloutEngine.getModelResponse(subject.call()), backend.capabilities.logprobs);
  });
  return checks;
}

const TOO_MANY = 2 ** 17;

/** Whether a call was given up: by an error, or by a completion that says so. */
function isAborted(call: Promise<ModelOutput>): Promise<boolean> {
  return call.then(
    ({ finishReason }) => finishReason === 'abort',
    () => true,
  );
}

/** Two steps and a validation, or the validation alone. */
async function throughAnApp(subject: BackendSubject, training: boolean): Promise<void> {
  const { definition, messages } = subject;
  const ask: WorkflowDefinition = {
    name: 'contract',
    async run(_task, context) {
      const agent = context.agent('agent');
      await agent.respond(messages.at(-1)?.content ?? '');
      agent.reward(context.rolloutIndex % 2);
    },
  };
  const tasks = [{ id: 'a' }, { id: 'b' }];
  const input = {
    ...subject.input(),
    rollout: { n: 2, nVal: 1, train: { maxTokens: 2 }, val: { maxTokens: 2 } },
    data: { trainBatchSize: 2 },
    trainer: { totalBatches: 2, testFreq: 0, saveFreq: 0, valBeforeTrain: false },
  };
  const open = (validateOnly: boolean) =>
    createApp(input, {
      plugins: [{ name: 'contract', apiVersion: 1, backends: [definition] }],
      workflow: ask,
      trainData: tasks,
      valData: tasks,
      run: null,
      useDeclared: false,
      validateOnly,
    });
  if (!training) await expectFailure(open(false), 'CAPABILITY_MISSING', 'an app that trains');
  await using app = await open(!training);
  const trainer = await app.trainer();
  if (training) {
    const { status, steps } = await trainer.fit();
    expectThat(status === 'completed' && steps === 2, `a run of 2 steps ended as ${status} after ${steps}`);
  } else {
    const metrics = await trainer.validate();
    expectThat(Object.keys(metrics).length > 0, 'a validation gave no metrics');
  }
}
