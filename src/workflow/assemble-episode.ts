import { RllmError } from '../errors.js';
import {
  copyPlain,
  type Episode,
  isLeftOut,
  TERMINATION_REASONS,
  type TerminationReason,
} from '../types/index.js';
import { checkNumbers } from './check-numbers.js';
import { errorRecord } from './error-record.js';
import { withoutUnfinishedSteps } from './postprocess-episode.js';
import { checkTrajectory, type Recording } from './recorder.js';
import { type AttemptIdentity, nameRollout } from './rollout-request.js';
import { TerminationEvent } from './termination-event.js';

/** How an attempt ended. */
export type Ending =
  | { readonly kind: 'returned'; readonly value: unknown }
  | { readonly kind: 'threw'; readonly thrown: unknown }
  | { readonly kind: 'deadline' }
  | { readonly kind: 'stopped' };

/** The episode of an attempt before rewards and correctness are completed. */
export interface DraftEpisode {
  readonly episode: Episode;
  /** What the workflow said; undefined to decide it by the rewards. */
  readonly isCorrect: boolean | undefined;
}

/**
 * The episode of one attempt, up to the first item of `postprocessEpisode`. Its reason: what `terminate` was given; `timeout` at the
 * deadline; `max_prompt_length_exceeded` when a model call had no room left; `error` for anything else thrown, which
 * stays in `info.error`. A plain return is `env_done` (rLLM says `unknown`), unless nothing was recorded: then `unknown`.
 *
 * Of a returned episode every field that was set wins; its info gains `attempts` and, where it has none, `dataSource`.
 *
 * @throws RllmError WORKFLOW_FAILED when something else than an episode of this rollout was returned, or a reward or metric is no number.
 */
export function draftEpisode(ending: Ending, recording: Recording, identity: AttemptIdentity): DraftEpisode {
  const { request, attempt } = identity;
  const returned = ending.kind === 'returned' ? readReturned(ending.value, identity) : undefined;
  const trajectories =
    returned === undefined || isLeftOut(returned, 'trajectories')
      ? recording.trajectories
      : copyPlain(returned.trajectories);
  const reason =
    returned?.terminationReason ?? reasonOf(ending) ?? (trajectories.length > 0 ? 'env_done' : 'unknown');
  const metricRules = { ...recording.metricRules, ...returned?.metricRules };
  const episode: Episode = {
    id: returned?.id ?? `${request.taskId}:${request.rolloutIndex}`,
    taskId: request.taskId,
    rolloutIndex: request.rolloutIndex,
    task: returned === undefined || isLeftOut(returned, 'task') ? request.task : returned.task,
    terminationReason: reason,
    isCorrect: false,
    trajectories: [...trajectories],
    metrics: { ...recording.metrics, ...returned?.metrics },
    ...(Object.keys(metricRules).length > 0 ? { metricRules } : {}),
    info: {
      ...(request.dataSource === undefined ? {} : { dataSource: request.dataSource }),
      ...copyPlain(returned?.info),
      ...(ending.kind === 'threw' && reason === 'error' ? { error: errorRecord(ending.thrown) } : {}),
      ...(request.greedy === true ? { greedy: true } : {}),
      attempts: attempt,
    },
  };
  checkNumbers(episode);
  const isCorrect =
    returned === undefined || isLeftOut(returned, 'isCorrect') ? undefined : returned.isCorrect;
  return { episode: withoutUnfinishedSteps(episode), isCorrect };
}

/** The reason that an ending has of itself; a return has none. */
function reasonOf(ending: Ending): TerminationReason | undefined {
  if (ending.kind === 'returned') return undefined;
  if (ending.kind !== 'threw') return 'timeout';
  const { thrown } = ending;
  if (TerminationEvent.isInstance(thrown)) return thrown.reason;
  if (RllmError.isInstance(thrown) && thrown.code === 'PROMPT_TOO_LONG') return 'max_prompt_length_exceeded';
  return 'error';
}

function readReturned(value: unknown, { request, workflow }: AttemptIdentity): Episode | undefined {
  if (value === undefined) return undefined;
  const fault = (text: string): RllmError =>
    new RllmError(
      'WORKFLOW_FAILED',
      `The workflow "${workflow}" returned ${text} for ${nameRollout(request)}.`,
    );
  if (!isEpisode(value)) {
    throw fault(`${describe(value)} and neither nothing nor an episode made with createEpisode`);
  }
  if (value.taskId !== request.taskId || value.rolloutIndex !== request.rolloutIndex) {
    throw fault(`the episode of another rollout (${value.rolloutIndex} of ${JSON.stringify(value.taskId)})`);
  }
  const { terminationReason } = value;
  if (terminationReason !== undefined && !TERMINATION_REASONS.includes(terminationReason)) {
    throw fault(`the unknown termination reason ${JSON.stringify(terminationReason)}`);
  }
  for (const trajectory of value.trajectories)
    checkTrajectory(trajectory, 'A trajectory of a returned episode');
  return value;
}

function isEpisode(value: unknown): value is Episode {
  return (
    typeof value === 'object' &&
    value !== null &&
    'taskId' in value &&
    'rolloutIndex' in value &&
    'trajectories' in value &&
    Array.isArray(value.trajectories)
  );
}

function describe(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'an array' : `a value of type ${typeof value}`;
}
