import { describe, expect, test } from 'vitest';
import type { BackendContext, BackendDefinition } from '../../src/backend/index.js';
import type { RolloutEngine } from '../../src/rollout/index.js';
import {
  type BackendContractOptions,
  backendContract,
  InMemoryBackend,
  type InMemoryBackendOptions,
  inMemoryBackend,
} from '../../src/testing/index.js';
import type { Metrics, ModelOutput, TrainerState } from '../../src/types/index.js';

/** Yes or no, the more likely the more it was reinforced. */
const SOUND: InMemoryBackendOptions = {
  policy: ({ preference, random }) =>
    random.next() < 1 / (1 + Math.exp(preference('no') - preference('yes'))) ? 'yes' : 'no',
  maxPromptTokens: 1000,
};

type Make = (options: InMemoryBackendOptions, seed: number) => InMemoryBackend;

/** The in-memory backend with something wrong. */
function wrong(make: Make, more: Partial<InMemoryBackendOptions> = {}): BackendDefinition {
  return {
    ...inMemoryBackend(SOUND),
    create: (_options: unknown, { config }: BackendContext) =>
      make({ ...SOUND, ...more }, config.trainer.seed),
  };
}

/** One whose completions are changed on their way out. */
function answering(change: (output: ModelOutput) => ModelOutput): BackendDefinition {
  return wrong((options, seed) => {
    const backend = new InMemoryBackend(options, seed);
    const { rolloutEngine: engine } = backend;
    const rolloutEngine: RolloutEngine = {
      getModelResponse: async (call) => change(await engine.getModelResponse(call)),
    };
    return Object.assign(backend, { rolloutEngine });
  });
}

async function failures(definition: BackendDefinition, options?: BackendContractOptions): Promise<string[]> {
  const failed: string[] = [];
  for (const { name, run } of backendContract(definition, options)) {
    try {
      await run();
    } catch {
      failed.push(name);
    }
  }
  return failed;
}

class Backwards extends InMemoryBackend {
  override updatePolicy(state: TrainerState<never>): Promise<Metrics> {
    for (const { trajectories } of state.trajectoryGroups) {
      for (const { steps } of trajectories)
        for (const step of steps) step.advantage = -Number(step.advantage);
    }
    return super.updatePolicy(state);
  }
}

class Drifting extends InMemoryBackend {
  override updatePolicy(state: TrainerState<never>): Promise<Metrics> {
    for (const { trajectories } of state.trajectoryGroups) {
      for (const { steps } of trajectories)
        for (const step of steps) if (step.advantage === 0) step.advantage = 9;
    }
    return super.updatePolicy(state);
  }
}

class Scribbling extends InMemoryBackend {
  override transformToBackendBatch(
    state: TrainerState,
  ): ReturnType<InMemoryBackend['transformToBackendBatch']> {
    for (const { trajectories } of state.trajectoryGroups)
      for (const { info } of trajectories) info['seen'] = true;
    return super.transformToBackendBatch(state);
  }
}

class Forgetful extends InMemoryBackend {
  override async loadCheckpoint(): Promise<void> {}
}

class Once extends InMemoryBackend {
  #isDown = false;
  override async shutdown(): Promise<void> {
    if (this.#isDown) throw new Error('it is down already');
    this.#isDown = true;
  }
}

class Picky extends InMemoryBackend {
  override async updatePolicy(state: TrainerState<never>): Promise<Metrics> {
    const steps = state.trajectoryGroups.flatMap(({ trajectories }) =>
      trajectories.flatMap((own) => own.steps),
    );
    if (steps.some(({ advantage }) => Array.isArray(advantage)))
      throw new Error('one number per step, please');
    return { ...(await super.updatePolicy(state)), 'optim/loss': Number.NaN };
  }
}

describe('the contract of backends', () => {
  test('stands for what is right', async () => {
    expect(await failures(inMemoryBackend(SOUND))).toEqual([]);
  });

  test.each<[string, BackendDefinition, readonly string[]]>([
    [
      'learns the opposite',
      wrong((options, seed) => new Backwards(options, seed)),
      ['a reply that pays is given more often, within 30 updates'],
    ],
    [
      'moves without a reason',
      wrong((options, seed) => new Drifting(options, seed)),
      ['advantages of 0 move nothing'],
    ],
    [
      'writes to groups while it makes a batch',
      wrong((options, seed) => new Scribbling(options, seed)),
      ['making a batch changes nothing: no group, no weights'],
    ],
    [
      'loads nothing',
      wrong((options, seed) => new Forgetful(options, seed)),
      [
        'a checkpoint brings back what was saved, and training goes on from it the same',
        'a folder without a checkpoint is refused with CHECKPOINT_INVALID',
      ],
    ],
    [
      'takes every prompt',
      wrong((options, seed) => new InMemoryBackend(options, seed), {
        maxPromptTokens: Number.POSITIVE_INFINITY,
      }),
      ['a prompt without room for a completion is refused with PROMPT_TOO_LONG'],
    ],
    [
      'claims a critic that it has not',
      wrong((options, seed) => new InMemoryBackend(options, seed), { capabilities: { values: true } }),
      ['writes step.values in stage 5 where they are asked for'],
    ],
    [
      'counts every completion from 7',
      answering((output) => ({ ...output, weightVersion: 7 })),
      ['completions are whole: tokens, log-probs ≤ 0, a reason to end'],
    ],
  ])('falls for one that %s', async (_, definition, expected) => {
    expect(await failures(definition)).toEqual(expected);
  });

  test.each<[string, BackendDefinition, string]>([
    ['cannot be shut down twice', wrong((options, seed) => new Once(options, seed)), 'shuts down twice'],
    [
      'takes one advantage per step and says otherwise',
      wrong((options, seed) => new Picky(options, seed)),
      'takes an advantage for each token',
    ],
    [
      'reports metrics that are no numbers',
      wrong((options, seed) => new Picky(options, seed)),
      'trains a step with the loss "ppo"',
    ],
    [
      'gives log-probs above 0',
      answering((output) => ({ ...output, logprobs: output.logprobs.map(() => 0.1) })),
      'completions are whole: tokens, log-probs ≤ 0, a reason to end',
    ],
    [
      'loses a log-prob',
      answering((output) => ({ ...output, logprobs: output.logprobs.slice(1) })),
      'completions are whole: tokens, log-probs ≤ 0, a reason to end',
    ],
    [
      'answers as chance has it',
      answering((output) => ({ ...output, text: String(Math.random()) })),
      'equal calls give equal completions, alone or among others',
    ],
    [
      'does not heed a signal',
      answering((output) => ({ ...output, finishReason: 'stop' })),
      'a call whose signal has fired gives nothing',
    ],
    [
      'has another name than its definition',
      { ...inMemoryBackend(SOUND), name: 'other' },
      'is what its definition says: it has its name, and trains or not',
    ],
  ])('falls for one that %s', async (_, definition, expected) => {
    expect(await failures(definition)).toContain(expected);
  });

  test('may be told what a backend cannot promise', async () => {
    const chance = answering((output) => ({ ...output, text: String(Math.random()) }));
    const options = { deterministic: false, tooLong: null, updates: 0 };
    expect(await failures(chance, options)).toEqual([]);
    expect(backendContract(chance, options).length).toBeLessThan(backendContract(chance).length);
  });

  test('refuses options that the backend refuses', () => {
    const strict: BackendDefinition = {
      ...inMemoryBackend(SOUND),
      options: {
        '~standard': {
          version: 1,
          vendor: 'test',
          validate: () => ({ issues: [{ message: 'no', path: ['size'] }] }),
        },
      },
    };
    expect(() => backendContract(strict)).toThrow('its options are refused: .size no');
  });
});
