import type { RolloutConfig, WorkflowConfig } from '../../src/config/types.js';
import type { Logger } from '../../src/logger.js';
import type { ModelCall, RolloutEngine } from '../../src/rollout/index.js';
import type { Episode, ModelOutput } from '../../src/types/index.js';
import {
  type BatchSettings,
  type Clock,
  type RolloutRequest,
  type WorkflowDefinition,
  WorkflowEngine,
} from '../../src/workflow/index.js';

const ROLLOUT: RolloutConfig = {
  n: 1,
  nVal: 1,
  train: { temperature: 1, topP: 1, maxTokens: 16 },
  val: { temperature: 0, topP: 1, maxTokens: 16 },
};

const CONFIG: WorkflowConfig = {
  use: 'test',
  options: {},
  nParallelTasks: 8,
  retryLimit: 1,
  retryOn: ['error'],
  retryBackoffMs: 0,
  timeoutMs: null,
  raiseOnError: false,
  gamma: 0,
  rewardBonusCoeff: 0,
};

/** A policy as a function of the call; tokens are the code units of the text. */
export function scripted(reply: (call: ModelCall) => string | Promise<string>): RolloutEngine {
  return {
    async getModelResponse(call): Promise<ModelOutput> {
      const text = await reply(call);
      const ids = (part: string): number[] => Array.from(part, (letter) => letter.charCodeAt(0));
      return {
        text,
        content: text,
        promptIds: ids(call.messages.map((message) => message.content).join(' ')),
        completionIds: ids(text),
        logprobs: ids(text).map(() => -1),
        finishReason: 'stop',
        weightVersion: 7,
      };
    },
  };
}

/** Says the last message again. */
export const echo: RolloutEngine = scripted(({ messages }) => messages.at(-1)?.content ?? '');

export interface Setting {
  readonly rolloutEngine?: RolloutEngine;
  readonly config?: Partial<WorkflowConfig>;
  readonly options?: unknown;
  readonly clock?: Clock;
  readonly logger?: Logger;
  readonly seed?: number;
}

export function engineFor(workflow: WorkflowDefinition, setting: Setting = {}): WorkflowEngine {
  const { config, rolloutEngine = echo, options = {}, ...rest } = setting;
  return new WorkflowEngine({
    workflow,
    options,
    rolloutEngine,
    config: { ...CONFIG, ...config },
    rollout: ROLLOUT,
    ...rest,
  });
}

/** `count` rollouts of one task. */
export function requests(count: number, task: RolloutRequest['task'] = {}): RolloutRequest[] {
  return Array.from({ length: count }, (_, rolloutIndex) => ({ taskId: 't', rolloutIndex, task }));
}

/** Runs one rollout of a workflow and returns its episode. */
export async function runOnce(
  workflow: WorkflowDefinition,
  setting: Setting = {},
  settings: Partial<BatchSettings> = {},
): Promise<Episode> {
  const engine = engineFor(workflow, setting);
  const [episode] = await engine.executeTasks(requests(1, { question: 'q' }), {
    mode: 'train',
    step: 1,
    ...settings,
  });
  if (episode === undefined) throw new Error('there is no episode');
  return episode;
}

/** Lets everything that is ready run. */
export async function settle(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}
