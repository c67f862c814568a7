import { collectRewardsAndAdvantages } from '../advantage/index.js';
import type { TaskLoader } from '../data/index.js';
import { RllmError } from '../errors.js';
import { transformEpisodesToTrajectoryGroups } from '../grouping/index.js';
import type { Episode, Metrics, TrainerState } from '../types/index.js';
import { type RunContext, throwIfAborted } from './run-context.js';
import { rolloutRequests } from './run-data.js';
import { type ValidationRollout, validationMetrics } from './validation-metrics.js';

/**
 * Rolls out every validation task `rollout.nVal` times and measures; nothing is trained, no advantage is computed.
 *
 * All means are over the whole validation, whatever the size of its batches. `val/grouping/…` and `val/reward/{role}/…` are
 * what training reports, of these rollouts.
 *
 * @param onRollout  called as rollouts end, with how many have and how many there are.
 * @returns null when the backend skips it, or the run was asked to stop meanwhile: then nothing is known.
 */
export async function validate(
  context: RunContext,
  state: TrainerState,
  loader: TaskLoader,
  onRollout?: (done: number, total: number) => void,
): Promise<Metrics | null> {
  const { lifecycle, parts, now } = context;
  if (!(await lifecycle.validationStart(state))) return null;
  const started = now();
  const rollouts = await rollOut(context, state, loader, onRollout);
  if (rollouts === null) return null;
  const metrics: Metrics = {
    ...groupMetrics(context, rollouts),
    ...validationMetrics(rollouts, parts.config.rollout.nVal),
    'time/testing': (now() - started) / 1000,
  };
  await lifecycle.validationEnd(state, metrics);
  if (parts.config.tracking.logEpisodes) {
    const at = { mode: 'val', step: state.globalStep, epoch: state.epoch } as const;
    await parts.run?.writeEpisodes(
      at,
      rollouts.map(({ episode }) => episode),
    );
  }
  return metrics;
}

async function rollOut(
  context: RunContext,
  { globalStep: step }: TrainerState,
  loader: TaskLoader,
  onRollout: ((done: number, total: number) => void) | undefined,
): Promise<readonly ValidationRollout[] | null> {
  const { parts, report, lifecycle, stop, abort } = context;
  const total = loader.size * parts.config.rollout.nVal;
  const rollouts: ValidationRollout[] = [];
  for (const batch of loader.epoch(0)) {
    if (stop.aborted) return null;
    const requests = rolloutRequests(batch, parts.config.rollout.nVal);
    let episodes: readonly Episode[];
    try {
      episodes = await parts.engine.executeTasks(requests, {
        mode: 'val',
        step,
        signal: AbortSignal.any([stop, abort]),
        onEpisode: (_episode, endedOfBatch) => {
          const done = rollouts.length + endedOfBatch;
          report.emit({ event: 'rollouts', mode: 'val', step, done, total });
          onRollout?.(done, total);
        },
      });
    } catch (thrown) {
      throwIfAborted(context);
      if (stop.aborted && RllmError.isInstance(thrown) && thrown.code === 'ABORTED') return null;
      throw thrown;
    }
    await lifecycle.rolloutsEnd(episodes);
    episodes.forEach((episode, i) => {
      rollouts.push({ episode, dataSource: requests[i]?.dataSource ?? 'unknown' });
    });
  }
  return rollouts;
}

function groupMetrics({ parts }: RunContext, rollouts: readonly ValidationRollout[]): Metrics {
  const { config, estimators, groupingHook } = parts;
  const { transform, compactFiltering, algorithm } = config;
  const transformed = transformEpisodesToTrajectoryGroups(
    rollouts.map(({ episode }) => episode),
    { transform, compactFiltering, groupingHook },
  );
  const rewards = collectRewardsAndAdvantages(transformed.groups, algorithm, {
    registry: estimators,
    collectAdvantage: false,
  });
  const metrics = { ...transformed.metrics, ...rewards.metrics };
  return Object.fromEntries(Object.entries(metrics).map(([key, value]) => [`val/${key}`, value]));
}
