import type { RolloutConfig, WorkflowConfig } from '../config/types.js';
import { RllmError } from '../errors.js';
import { type Logger, SILENT } from '../logger.js';
import type { ChosenReward } from '../reward/index.js';
import type { RolloutEngine } from '../rollout/index.js';
import type { Episode } from '../types/index.js';
import { type Clock, SYSTEM_CLOCK } from './clock.js';
import { Pool } from './pool.js';
import { type BatchParts, type BatchSettings, RolloutBatch } from './rollout-batch.js';
import { nameRollout, type RolloutRequest } from './rollout-request.js';
import type { WorkflowDefinition } from './workflow.js';

export interface WorkflowEngineParts {
  readonly workflow: WorkflowDefinition;
  /** Who brought the workflow, as in a registry, for messages. */
  readonly owner?: string | undefined;
  /** `workflow.options`, already validated by the workflow's schema. */
  readonly options: unknown;
  readonly rolloutEngine: RolloutEngine;
  readonly config: WorkflowConfig;
  readonly rollout: RolloutConfig;
  /** What judges rollouts in place of the workflow, in order. */
  readonly rewards?: readonly ChosenReward[];
  readonly logger?: Logger;
  /** Decides the jitter of pauses before retries. */
  readonly seed?: number;
  readonly clock?: Clock;
}

/**
 * Runs rollouts of a workflow, at most `workflow.nParallelTasks` at once.
 *
 * A rollout that fails is retried by policy; one that has failed for good stays an episode with reason `error`, or stops
 * the run (`workflow.raiseOnError`). What a rollout gives depends on its identity and the weights alone, never on which
 * rollout was faster.
 */
export class WorkflowEngine {
  readonly #parts: BatchParts;
  readonly #running = new Set<RolloutBatch>();
  #isShutDown = false;

  constructor(parts: WorkflowEngineParts) {
    const { logger = SILENT, seed = 0, clock = SYSTEM_CLOCK } = parts;
    this.#parts = { ...parts, logger, seed, clock, pool: new Pool(parts.config.nParallelTasks) };
  }

  /**
   * Runs all rollouts and returns their episodes in the order of `requests`.
   *
   * @throws RllmError ABORTED as soon as the signal fires or the engine is shut down.
   * @throws RllmError WORKFLOW_FAILED when `raiseOnError` is set and a rollout has failed for good: no further rollout is
   *   started, those that run are let end, and all episodes so far are in `details.episodes`.
   * @throws RllmError DATASET_INVALID when two rollouts have the same identity, since they would be the same rollout.
   */
  async executeTasks(requests: readonly RolloutRequest[], settings: BatchSettings): Promise<Episode[]> {
    if (this.#isShutDown) throw new RllmError('ABORTED', 'The workflow engine was shut down.');
    checkDistinct(requests);
    const batch = new RolloutBatch(this.#parts, requests, settings);
    this.#running.add(batch);
    try {
      return await batch.run();
    } finally {
      this.#running.delete(batch);
    }
  }

  /** Stops all running rollouts and refuses further ones; safe to call twice. */
  async shutdown(): Promise<void> {
    this.#isShutDown = true;
    for (const batch of [...this.#running]) batch.abort(new Error('The workflow engine was shut down.'));
  }
}

function checkDistinct(requests: readonly RolloutRequest[]): void {
  const seen = new Set<string>();
  for (const request of requests) {
    const key = `${request.rolloutIndex} ${request.taskId}`;
    if (seen.has(key)) {
      throw new RllmError(
        'DATASET_INVALID',
        `One batch asks twice for ${nameRollout(request)}; tasks of a batch need ids of their own.`,
      );
    }
    seen.add(key);
  }
}
