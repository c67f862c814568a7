import type { TaskBatch } from '../data/index.js';
import { messageOf, RllmError } from '../errors.js';
import { nextTurn } from '../next-turn.js';
import type { TrainerState } from '../types/index.js';
import { type RunContext, throwIfAborted } from './run-context.js';
import {
  computeAdvantages,
  gatherMetrics,
  generateEpisodes,
  processBackendBatch,
  rejectAndFilter,
  type StepWork,
  transformToBackendBatch,
  transformToGroups,
  updatePolicy,
} from './stages.js';

/**
 * One training step: the eight stages in order, on one batch of tasks. The last, logging, is done by the caller once the
 * batch's hooks have run; here its metrics are gathered.
 *
 * A batch of which nothing is left after filtering skips stages 4 to 7: the weights stay, the step is counted and logged.
 *
 * @param options.rollouts  rollouts per task.
 * @param options.update    false leaves out stage 7, for a dry run.
 */
export async function trainStep(
  context: RunContext,
  state: TrainerState,
  batch: TaskBatch,
  options: { readonly rollouts: number; readonly update: boolean },
): Promise<StepWork> {
  const work: StepWork = {
    batch,
    rollouts: options.rollouts,
    generated: [],
    baselines: [],
    rewards: undefined,
    solved: undefined,
    grouped: [],
    carried: [],
    dropped: [],
    skipped: null,
  };
  const { lifecycle } = context;
  const stage = stageRunner(context, state);
  resetBatch(state);
  await stage('generate_episodes', () => generateEpisodes(context, state, work));
  await stage('transform_to_groups', () => transformToGroups(context, state, work));
  await stage('reject_and_filter', () => rejectAndFilter(context, state, work));
  await lifecycle.groups(state);
  if (state.trajectoryGroups.length > 0) {
    await stage('transform_to_backend_batch', () => transformToBackendBatch(context, state));
    await stage('process_backend_batch', () => processBackendBatch(context, state));
    await stage('compute_advantages', () => computeAdvantages(context, state));
    if (options.update) {
      await lifecycle.updateStart(state);
      await stage('update_policy', () => updatePolicy(context, state));
      await lifecycle.updateEnd(state);
    }
  }
  gatherMetrics(state, work);
  return work;
}

type StageRunner = (name: string, run: () => void | Promise<void>) => Promise<void>;

/** Times each stage; whatever is thrown in one that the backend does becomes BACKEND_FAILED. */
export function stageRunner(context: RunContext, state: TrainerState): StageRunner {
  return async (name, run) => {
    const started = context.now();
    try {
      await run();
    } catch (cause) {
      throwIfAborted(context);
      if (RllmError.isInstance(cause)) throw cause;
      throw new RllmError(
        'BACKEND_FAILED',
        `The backend "${context.parts.backend.name}" failed in step ${state.globalStep}, stage ${name}: ${messageOf(cause)}`,
        { cause },
      );
    }
    throwIfAborted(context);
    state.timings[name] = (context.now() - started) / 1000;
    await nextTurn();
  };
}

function resetBatch(state: TrainerState): void {
  state.episodes = [];
  state.trajectoryGroups = [];
  state.backendBatch = undefined;
  state.metrics = {};
  state.timings = {};
}
