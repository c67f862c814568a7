import type { Episode, Metrics } from '../types/index.js';
import type { TrajectoryView } from './events.js';
import type { RunContext } from './run-context.js';
import { type RunData, required } from './run-data.js';
import { newProgress } from './run-progress.js';
import { trainStep } from './train-step.js';
import { trajectoryView } from './trajectory-view.js';

/** What a dry run saw: one rollout of the first task through all stages but the update. */
export interface DryRunReport {
  readonly taskId: string;
  readonly episode: Episode;
  /** Every trajectory with its advantage, as it would train. */
  readonly trajectories: readonly TrajectoryView[];
  readonly metrics: Metrics;
  /** Steps of the whole run. */
  readonly totalSteps: number;
  /** Why nothing would train, if so. */
  readonly explanation: string | null;
}

/**
 * Rolls the first training task out once and takes it through stages 1 to 6. No weights change and nothing is written.
 *
 * One rollout can be compared with no other, so rejection sampling lets every group pass here.
 */
export async function dryRun(context: RunContext, data: RunData, totalSteps: number): Promise<DryRunReport> {
  const { parts } = context;
  const rejectionSample = { ...parts.config.rejectionSample, mode: 'none', minTrajsPerGroup: 1 } as const;
  const lenient = { ...context, parts: { ...parts, config: { ...parts.config, rejectionSample } } };
  const { state, cursor } = newProgress();
  state.totalSteps = totalSteps;
  const batch = required(data.train, 'train').at(cursor);
  const first = { ...batch, items: batch.items.slice(0, 1) };
  const work = await trainStep(lenient, state, first, { rollouts: 1, update: false });
  const [episode] = work.generated;
  if (episode === undefined) throw new Error('A batch of one task gave no episode.');
  const views = work.grouped.flatMap((group) =>
    group.trajectories.map((_, index) => trajectoryView(group, index, parts.backend.tokens)),
  );
  return {
    taskId: episode.taskId,
    episode,
    trajectories: views.filter((view) => view !== undefined),
    metrics: state.metrics,
    totalSteps,
    explanation: work.skipped?.reason ?? null,
  };
}
