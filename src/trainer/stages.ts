import { collectRewardsAndAdvantages, estimatorOf, selectTrainable } from '../advantage/index.js';
import { awaitBackend, type Backend } from '../backend/index.js';
import type { TaskBatch } from '../data/index.js';
import {
  applyRejectionSampling,
  countTrajectories,
  type Dropped,
  leaveOut,
  type SolveCounts,
  settleLedger,
} from '../filtering/index.js';
import { attachBaselines, transformEpisodesToTrajectoryGroups } from '../grouping/index.js';
import type { Ragged } from '../ragged.js';
import type { Episode, TrainerState, TrajectoryGroup } from '../types/index.js';
import { batchMetrics } from './episode-metrics.js';
import { firstStepWarnings } from './first-step-warnings.js';
import type { RunContext } from './run-context.js';
import { rolloutRequests } from './run-data.js';
import type { TrainerParts } from './trainer-parts.js';

/** What one step hands from stage to stage besides the trainer's state. */
export interface StepWork {
  readonly batch: TaskBatch;
  readonly rollouts: number;
  /** Every episode of this batch, whatever became of it. */
  generated: readonly Episode[];
  /** A greedy rollout per task, where an estimator compares with one. They do not train and count nowhere else. */
  baselines: readonly Episode[];
  /** What grouping has found out about `grouped` and `generated` on the way; undefined where it has not. */
  rewards: Ragged | undefined;
  solved: SolveCounts | undefined;
  /** Every group of this batch, before any was left out. */
  grouped: readonly TrajectoryGroup[];
  /** Episodes of earlier batches that waited until now. */
  carried: readonly Episode[];
  /** What the stages left out, with the reason. */
  readonly dropped: Dropped[];
  /** Why the step changed nothing: all was left out, or waits for later batches; null when it trained. */
  skipped: { readonly code: 'STEP_SKIPPED' | 'STEP_WAITING'; readonly reason: string } | null;
}

/**
 * Stage 1: every task of the batch is rolled out; all episodes are there when it ends. Where an estimator compares with it, each
 * task has a greedy rollout more, kept apart from the others.
 */
export async function generateEpisodes(
  { parts, report, lifecycle, abort }: RunContext,
  state: TrainerState,
  work: StepWork,
): Promise<void> {
  const step = state.globalStep;
  const requests = rolloutRequests(work.batch, work.rollouts, comparesWithGreedy(parts));
  const episodes = await parts.engine.executeTasks(requests, {
    mode: 'train',
    step,
    signal: abort,
    onEpisode: (_episode, done, total) =>
      report.emit({ event: 'rollouts', mode: 'train', step, done, total }),
  });
  await lifecycle.rolloutsEnd(episodes);
  work.generated = episodes.filter((_, i) => requests[i]?.greedy !== true);
  work.baselines = episodes.filter((_, i) => requests[i]?.greedy === true);
  state.episodes = work.generated;
}

/** Whether an estimator that the config names compares with a greedy rollout. */
function comparesWithGreedy({ config, estimators }: TrainerParts): boolean {
  const { estimator, estimatorMap } = config.algorithm;
  const names = [estimator, ...Object.values(estimatorMap)];
  return names.some((name) => estimators.requirementsOf(name).has('greedyBaseline'));
}

/** Stage 2: trajectories that are compared with each other stand in one group. */
export function transformToGroups({ parts, report }: RunContext, state: TrainerState, work: StepWork): void {
  const { transform, compactFiltering } = parts.config;
  const { groupingHook } = parts;
  const result = transformEpisodesToTrajectoryGroups(state.episodes, {
    transform,
    compactFiltering,
    groupingHook,
  });
  for (const { code, message } of result.warnings) report.warnOnce(code, '', message);
  drop(work, result.dropped);
  work.grouped = withBaselines(parts, work, result.groups);
  work.rewards = work.grouped === result.groups ? result.rewards : undefined;
  work.solved = result.solved;
  state.trajectoryGroups = work.grouped;
  Object.assign(state.metrics, result.metrics);
  if (state.globalStep > 1) return;
  for (const { code, about, message } of firstStepWarnings(parts.config, work.generated, work.grouped)) {
    report.warnOnce(code, about, message);
  }
}

function withBaselines(
  { config, estimators }: TrainerParts,
  work: StepWork,
  groups: readonly TrajectoryGroup[],
): readonly TrajectoryGroup[] {
  if (work.baselines.length === 0) return groups;
  const { transform, algorithm } = config;
  const attached = attachBaselines(groups, work.baselines, {
    transform,
    needsBaseline: (role) => estimators.requirementsOf(estimatorOf(role, algorithm)).has('greedyBaseline'),
    missing: algorithm.missingReward,
  });
  drop(work, attached.dropped);
  return attached.groups;
}

/** One by one, since a call takes no more than some hundred thousand arguments. */
function drop(work: StepWork, more: readonly Dropped[]): void {
  for (const one of more) work.dropped.push(one);
}

/** Stage 3: what cannot teach is left out, or waits for later batches. The ledger says where every rollout ended. */
export function rejectAndFilter({ parts }: RunContext, state: TrainerState, work: StepWork): void {
  const { rejectionSample, algorithm } = parts.config;
  work.carried = state.rejection.episodes;
  // First of all, so that size and spread of a group are those of what can train, and the backend's batch holds nothing else.
  const trainable = trainableGroups(parts.backend, state, work);
  const isWhole = trainable === state.trajectoryGroups;
  const selected = selectTrainable(trainable, algorithm, isWhole ? work.rewards : undefined);
  const kept = applyRejectionSampling(state.episodes, selected.groups, rejectionSample, state.rejection, {
    rewards: selected.rewards,
    solved: work.solved,
  });
  drop(work, selected.dropped);
  drop(work, kept.dropped);
  state.rejection = kept.state;
  state.episodes = kept.episodes;
  state.trajectoryGroups = kept.groups;
  const ledger = settleLedger({
    started: work.generated,
    carried: work.carried,
    waiting: kept.state.episodes,
    trained: kept.groups,
    dropped: work.dropped,
  });
  if (kept.waiting !== null) work.skipped = { code: 'STEP_WAITING', reason: kept.waiting };
  else if (ledger.explanation !== null) work.skipped = { code: 'STEP_SKIPPED', reason: ledger.explanation };
  Object.assign(state.metrics, kept.metrics, ledger.metrics);
  if (work.baselines.length > 0) state.metrics['ledger/baselines'] = work.baselines.length;
}

/** The groups without the trajectories that the backend cannot train on; the same list when it can train on all. */
function trainableGroups(
  backend: Backend,
  { trajectoryGroups, metrics }: TrainerState,
  work: StepWork,
): readonly TrajectoryGroup[] {
  if (backend.trajectoryFault === undefined) return trajectoryGroups;
  const dropped: Dropped[] = [];
  const left = trajectoryGroups.map((group) =>
    leaveOut(group, (trajectory) => backend.trajectoryFault?.(trajectory), dropped),
  );
  const name = 'batch/dropped_malformed_sequences';
  metrics[name] = countTrajectories(dropped);
  if (dropped.length === 0) return trajectoryGroups;
  for (const { reason, trajectories } of dropped) {
    metrics[`${name}/${reason}`] = (metrics[`${name}/${reason}`] ?? 0) + trajectories.length;
  }
  drop(work, dropped);
  return left.filter(({ trajectories }) => trajectories.length > 0);
}

/** Stage 4: groups become the backend's own form of a batch. */
export function transformToBackendBatch({ parts }: RunContext, state: TrainerState): void {
  state.backendBatch = parts.backend.transformToBackendBatch(state);
}

/** Stage 5: the backend computes what must be known before advantages are. */
export async function processBackendBatch({ parts }: RunContext, state: TrainerState): Promise<void> {
  Object.assign(
    state.metrics,
    await awaitBackend(parts.backend, 'processBatch', () => parts.backend.processBatch(state)),
  );
}

/** Stage 6: the estimator of each role assigns credit; every step of the groups gets its advantage. */
export function computeAdvantages({ parts, report }: RunContext, state: TrainerState): void {
  const { metrics, warnings } = collectRewardsAndAdvantages(state.trajectoryGroups, parts.config.algorithm, {
    registry: parts.estimators,
  });
  for (const { code, message } of warnings) report.warnOnce(code, '', message);
  Object.assign(state.metrics, metrics);
}

/** Stage 7: the backend changes the weights. */
export async function updatePolicy({ parts }: RunContext, state: TrainerState): Promise<void> {
  Object.assign(
    state.metrics,
    await awaitBackend(parts.backend, 'updatePolicy', () => parts.backend.updatePolicy(state)),
  );
}

/** Stage 8, first half: what the step has to report, so that hooks at the batch's end can add to it. */
export function gatherMetrics(state: TrainerState, work: StepWork): void {
  Object.assign(state.metrics, batchMetrics(work.generated), {
    'progress/batch': state.globalStep,
    'progress/epoch': state.epoch,
    'progress/done_frac': state.totalSteps === 0 ? 1 : state.globalStep / state.totalSteps,
  });
  for (const [stage, seconds] of Object.entries(state.timings)) state.metrics[`time/${stage}_s`] = seconds;
}
