import { copyPlain } from './copy-plain.js';
import type { Episode } from './episode.js';

/** What `createEpisode` takes: the identity of the rollout, and any field of an episode. */
export type EpisodeInit = Partial<Episode> & Pick<Episode, 'taskId' | 'rolloutIndex'>;

/** The fields whose default could also have been meant. */
type Ambiguous = 'task' | 'isCorrect' | 'trajectories';

const LEFT_OUT = Symbol.for('rllm.episode.leftOut');

/**
 * An episode with every field filled in: task null, not correct, no trajectories, no metrics, `terminationReason` absent.
 * The `id` is `taskId:rolloutIndex`, for display.
 *
 * It remembers, outside of what JSON sees, which fields were left out, so that a workflow which returns it has them
 * completed: pass `isCorrect: false` to mean it.
 */
export function createEpisode(init: EpisodeInit): Episode {
  const episode: Episode = {
    id: init.id ?? `${init.taskId}:${init.rolloutIndex}`,
    taskId: init.taskId,
    rolloutIndex: init.rolloutIndex,
    task: init.task ?? null,
    isCorrect: init.isCorrect ?? false,
    trajectories: [...(init.trajectories ?? [])],
    metrics: { ...init.metrics },
    ...(init.metricRules === undefined ? {} : { metricRules: { ...init.metricRules } }),
    info: copyPlain(init.info ?? {}),
  };
  if (init.terminationReason !== undefined) episode.terminationReason = init.terminationReason;
  const leftOut = AMBIGUOUS.filter((field) => init[field] === undefined);
  return leftOut.length === 0 ? episode : Object.defineProperty(episode, LEFT_OUT, { value: leftOut });
}

const AMBIGUOUS: readonly Ambiguous[] = ['task', 'isCorrect', 'trajectories'];

/** True when the episode came from `createEpisode` without this field and nobody has set it since. */
export function isLeftOut(episode: Episode, field: Ambiguous): boolean {
  const marked: unknown = Reflect.get(episode, LEFT_OUT);
  if (!Array.isArray(marked) || !marked.includes(field)) return false;
  return field === 'trajectories' ? episode.trajectories.length === 0 : !episode[field];
}
