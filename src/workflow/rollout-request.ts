import type { Task } from './workflow.js';

/** One rollout to run: its identity, and the row of the dataset. */
export interface RolloutRequest {
  readonly taskId: string;
  /** 0-based among the rollouts of this task in this batch. */
  readonly rolloutIndex: number;
  /** A workflow gets a copy, so that rollouts of one task do not see each other's changes. */
  readonly task: Task;
  /**
   * Every model call at temperature 0, whatever the workflow asks for: a baseline that others are compared with. Kept as
   * `episode.info.greedy`.
   */
  readonly greedy?: boolean;
  /** Kept as `episode.info.dataSource`. */
  readonly dataSource?: string;
}

/** One attempt of a rollout: what its random numbers and its ids depend on. */
export interface AttemptIdentity {
  /** Name of the workflow, for messages. */
  readonly workflow: string;
  readonly request: RolloutRequest;
  readonly mode: 'train' | 'val';
  /** Training step at hand. */
  readonly step: number;
  /** 1-based. */
  readonly attempt: number;
}

/** `rollout 3 of task "secret-4"`, for messages. */
export function nameRollout(request: RolloutRequest): string {
  return `rollout ${request.rolloutIndex} of task ${JSON.stringify(request.taskId)}`;
}
