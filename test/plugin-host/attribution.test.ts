import { describe, expect, test } from 'vitest';
import { AdvEstimator } from '../../src/advantage/index.js';
import type { Backend, BackendDefinition } from '../../src/backend/index.js';
import type { RllmConfigInput } from '../../src/config/index.js';
import { createApp } from '../../src/container/index.js';
import { RllmError } from '../../src/errors.js';
import { GroupingHook } from '../../src/grouping/index.js';
import type { Logger } from '../../src/logger.js';
import { definePlugin, type PluginDefinition } from '../../src/plugin-host/index.js';
import { RewardFunction } from '../../src/reward/index.js';
import { inMemoryBackend } from '../../src/testing/index.js';
import { defineWorkflow } from '../../src/workflow/index.js';
import { errorOf, memoryPlugin, QUESTIONS, sayYes, TRAINS } from '../container/app-kit.js';

const WHO = 'culprit@1.2.3';
const boom = (): never => {
  throw new Error('boom');
};

interface Case {
  readonly what: string;
  readonly parts: Partial<PluginDefinition>;
  readonly config?: RllmConfigInput;
  readonly code: string;
  /** What the message says before it says what was thrown. */
  readonly says: string;
}

/** The in-memory backend with a method that throws. */
function backendWith(broken: (backend: Backend) => Partial<Backend>): BackendDefinition {
  const whole = inMemoryBackend({ policy: () => 'yes', name: 'broken' });
  return {
    ...whole,
    name: 'broken',
    create: (options, context) => {
      const backend = whole.create(options, context);
      return Object.assign(backend, broken(backend));
    },
  };
}

const onBackend = { backend: 'broken' };

class Unbuildable {
  constructor() {
    boom();
  }
  estimate(): never {
    return boom();
  }
}
AdvEstimator('unbuildable')(Unbuildable);

const CASES: readonly Case[] = [
  {
    what: 'an estimator',
    parts: { estimators: [AdvEstimator('bad')(boom)] },
    config: { algorithm: { estimator: 'bad' } },
    code: 'ESTIMATOR_THREW',
    says: `The advantage estimator "bad" of ${WHO} threw for role "speaker"`,
  },
  {
    what: 'an estimator of the wrong shape',
    parts: { estimators: [AdvEstimator('short')(() => ({ advantages: [] }))] },
    config: { algorithm: { estimator: 'short' } },
    code: 'ESTIMATOR_OUTPUT',
    says: `The advantage estimator "short" of ${WHO} was to return`,
  },
  {
    what: 'the constructor of an estimator',
    parts: { estimators: [Unbuildable] },
    config: { algorithm: { estimator: 'unbuildable' } },
    code: 'CONFIG_INVALID',
    says: `The advantage estimator "unbuildable" of ${WHO}`,
  },
  {
    what: 'a grouping hook',
    parts: { groupingHooks: [GroupingHook('bad_hook')(boom)] },
    config: { transform: { groupingHook: 'bad_hook' } },
    code: 'GROUPING_HOOK',
    says: `The grouping hook "bad_hook" of ${WHO} threw`,
  },
  {
    what: 'a grouping hook that returns something else',
    parts: { groupingHooks: [GroupingHook('odd_hook')(() => 7 as never)] },
    config: { transform: { groupingHook: 'odd_hook' } },
    code: 'GROUPING_HOOK',
    says: `The grouping hook "odd_hook" of ${WHO}: The grouping hook was to return a list`,
  },
  {
    what: 'a workflow',
    parts: { workflows: [defineWorkflow('bad-flow', boom)] },
    config: { workflow: { use: 'bad-flow', retryLimit: 1 } },
    code: 'WORKFLOW_FAILED',
    says: `The workflow "bad-flow" of ${WHO} failed in rollout`,
  },
  {
    what: 'a reward function',
    parts: { rewards: [RewardFunction('bad_reward')(boom)] },
    config: { reward: { functions: ['bad_reward'] }, workflow: { retryLimit: 1 } },
    code: 'REWARD_FAILED',
    says: `The reward function "bad_reward" of ${WHO} threw`,
  },
  {
    what: 'a dataset source',
    parts: { datasets: [{ name: 'bad-data', summary: '', open: boom }] },
    config: { data: { train: { use: 'bad-data' } } },
    code: 'DATASET_INVALID',
    says: `The dataset source "bad-data" of ${WHO} failed`,
  },
  {
    what: 'the making of a backend',
    parts: { backends: [{ ...backendWith(() => ({})), create: boom }] },
    config: onBackend,
    code: 'CONFIG_INVALID',
    says: `The backend "broken" of ${WHO} could not be built`,
  },
  {
    what: 'the check of a backend',
    parts: { backends: [{ ...backendWith(() => ({})), check: boom }] },
    config: onBackend,
    code: 'CONFIG_INVALID',
    says: `the backend "broken" of ${WHO} failed in check()`,
  },
  {
    what: 'a check of a backend that gives no list',
    parts: { backends: [{ ...backendWith(() => ({})), check: () => 'no model' as never }] },
    config: onBackend,
    code: 'CONFIG_INVALID',
    says: `the backend "broken" of ${WHO} failed in check(): it must give a list of { path, message }, got "no model"`,
  },
  ...(['start', 'processBatch', 'updatePolicy', 'saveCheckpoint'] as const).map((method) => ({
    what: `${method}() of a backend`,
    parts: { backends: [backendWith(() => ({ [method]: boom }))] },
    config: onBackend,
    code: 'BACKEND_FAILED',
    says: `The backend "broken" of ${WHO} failed in ${method}()`,
  })),
  {
    what: 'a model call of a backend',
    parts: { backends: [backendWith(() => ({ rolloutEngine: { getModelResponse: async () => boom() } }))] },
    config: { ...onBackend, workflow: { retryLimit: 1 } },
    code: 'WORKFLOW_FAILED',
    says: `The backend "broken" of ${WHO} failed in getModelResponse()`,
  },
  {
    what: 'an error of the SDK that a backend throws',
    parts: {
      backends: [
        backendWith(() => ({
          updatePolicy: async () => {
            throw new RllmError('TOKEN_UNKNOWN', 'No such word: boom');
          },
        })),
      ],
    },
    config: onBackend,
    code: 'TOKEN_UNKNOWN',
    says: `The backend "broken" of ${WHO}: No such word`,
  },
  {
    what: 'a lifecycle hook',
    parts: { hooks: { onBatchEnd: boom } },
    code: 'HOOK_FAILED',
    says: 'culprit',
  },
];

describe('what a plugin throws carries its name', () => {
  const warnings: string[] = [];
  const logger: Logger = { debug() {}, info() {}, error() {}, warn: (line) => warnings.push(line) };

  /** Trains with the parts of a plugin, one step, as far as it comes. */
  async function train(
    parts: Partial<PluginDefinition>,
    config: RllmConfigInput = {},
    run?: string,
  ): Promise<void> {
    const culprit = definePlugin({ name: 'culprit', apiVersion: 1, version: '1.2.3', ...parts });
    await using app = await createApp(
      {
        ...TRAINS,
        ...config,
        data: { ...TRAINS.data, ...config.data },
        workflow: { ...TRAINS.workflow, ...config.workflow },
      },
      {
        plugins: [memoryPlugin(), culprit],
        ...(config.workflow?.use === undefined ? { workflow: sayYes } : {}),
        ...(config.data?.train === undefined ? { trainData: QUESTIONS } : {}),
        run: run === undefined ? null : { directory: run },
        useDeclared: false,
        logger,
      },
    );
    await (await app.trainer()).fit();
  }

  test.each(CASES)('$what', async ({ parts, config, code, says }) => {
    const { createProject } = await import('./project.js');
    const run = `${await createProject({})}/run`;
    const error = await errorOf(train(parts, config, run));
    expect(error.message).toContain(says);
    expect(error.code).toBe(code);
  });

  test('a tracker, in the warning that it costs', async () => {
    const log = {
      name: 'bad-tracker',
      summary: '',
      create: () => ({ name: 'bad-tracker', log: boom, finish() {} }),
    };
    const create = { name: 'no-tracker', summary: '', create: boom };
    await train({ trackers: [log, create] }, { tracking: { trackers: ['bad-tracker', 'no-tracker'] } });
    expect(warnings).toContainEqual(expect.stringContaining(`The tracker "bad-tracker" of ${WHO} failed`));
    expect(warnings).toContainEqual(
      expect.stringContaining(`The tracker "no-tracker" of ${WHO} could not start`),
    );
  });
});

test('lifecycle hooks may be an instance of a class, whose fields are its own', async () => {
  class Counting {
    batches = 0;
    readonly best = { score: 1 };
    onBatchEnd(): void {
      this.batches++;
    }
  }
  const hooks = new Counting();
  const plugin = definePlugin({ name: 'counting', apiVersion: 1, hooks });
  const options = { plugins: [memoryPlugin(), plugin], workflow: sayYes, trainData: QUESTIONS, run: null };
  await using app = await createApp(TRAINS, { ...options, useDeclared: false });
  await (await app.trainer()).fit();
  expect([hooks.batches, app.plugins[1]?.brings.hooks]).toEqual([2, ['onBatchEnd']]);
  class Typo {
    onBatchEnds(): void {}
  }
  expect(() => definePlugin({ name: 'typo', apiVersion: 1, hooks: new Typo() as object })).toThrow(
    expect.objectContaining({ code: 'PLUGIN_INVALID', message: expect.stringContaining('onBatchEnd') }),
  );
});
