import { type EstimatorRegistry, selectTrainable } from '../advantage/index.js';
import type { RllmConfig } from '../config/types.js';
import { applyRejectionSampling } from '../filtering/index.js';
import type { GroupingHook } from '../grouping/index.js';
import { EMPTY_REJECTION_STATE, type Episode, type TrajectoryGroup } from '../types/index.js';
import { groupEpisodes } from './group-episodes.js';

/** The rollouts of one step, as they were saved. */
export interface EpisodesOfStep {
  readonly step: number;
  readonly episodes: readonly Episode[];
}

/** What stages 2, 3 and 6 of a step read. */
export interface ReplaySetting {
  /** Of the run: what it plans is what the estimator is asked about, whatever the filters left of a step. */
  readonly config: Pick<
    RllmConfig,
    'algorithm' | 'transform' | 'compactFiltering' | 'rejectionSample' | 'rollout' | 'data'
  >;
  readonly groupingHook: GroupingHook;
  readonly registry: EstimatorRegistry;
}

export interface TrainedStep extends EpisodesOfStep {
  /** The rollouts of the step itself; greedy ones are not among them. */
  readonly rollouts: readonly Episode[];
  /** What trains in it, with what waited until now; none while it waits. */
  readonly groups: readonly TrajectoryGroup[];
}

/**
 * Stages 2 and 3 on saved episodes, step by step. Rejection sampling goes on from step to step, as in training.
 *
 * @param needsBaseline  whether groups of a role cannot train without a greedy rollout.
 * @throws RllmError GROUPING_HOOK, REWARD_MISSING, REWARD_NOT_FINITE.
 */
export async function* trainedSteps(
  steps: AsyncIterable<EpisodesOfStep> | Iterable<EpisodesOfStep>,
  { config, groupingHook }: Pick<ReplaySetting, 'config' | 'groupingHook'>,
  needsBaseline: (role: string) => boolean,
): AsyncGenerator<TrainedStep, void, undefined> {
  const { algorithm, transform, compactFiltering, rejectionSample } = config;
  const grouping = { transform, compactFiltering, groupingHook };
  const baseline = { isNeeded: needsBaseline, missing: algorithm.missingReward };
  let waiting = EMPTY_REJECTION_STATE;
  for await (const { step, episodes } of steps) {
    const { rollouts, groups } = groupEpisodes(episodes, grouping, baseline);
    const selected = selectTrainable(groups, { ...algorithm, usePrecomputedAdvantage: false });
    const kept = applyRejectionSampling(rollouts, selected.groups, rejectionSample, waiting);
    waiting = kept.state;
    yield { step, episodes, rollouts, groups: kept.groups };
  }
}

/** Whether a step gives other numbers without those before it: groups wait, or one of the estimators keeps a state. */
export function dependsOnEarlier(
  names: readonly string[],
  { config, registry }: Pick<ReplaySetting, 'config' | 'registry'>,
): boolean {
  return config.rejectionSample.mode === 'episode' || names.some((name) => keepsState(name, registry));
}

export function keepsState(name: string, registry: EstimatorRegistry): boolean {
  return registry.get(name).stateDict !== undefined;
}
