import {
  type AlgorithmConfig,
  type LifecycleHooks,
  type Logger,
  RllmError,
  type TrajectoryGroup,
} from 'rllm-sdk';
import { z } from 'zod';
import { type StepCluster, sharedSteps, stepClusters } from './step-clusters.js';

const BY_ANCHOR: readonly string[] = ['gigpo', 'step_reinforce'];

const anchorOptions = z.object({ ignoreKeys: z.array(z.string()).default([]) });

/**
 * Says after each step how much the estimators by anchor state had to compare, for the roles that use one:
 * `step_groups/{role}/shared_steps`, the share of steps whose state another step of the group was in, and
 * `step_groups/{role}/clusters`, the number of states. A role whose states are never shared is warned about, once: there GiGPO is
 * GRPO, and nobody would notice. Groups whose states are not known do not count: the collection keeps those from the estimator
 * that bring advantages of their own, or are lone.
 */
export function clusterMetrics(algorithm: AlgorithmConfig, logger: Logger): LifecycleHooks {
  const warned = new Set<string>();
  return {
    onBatchEnd({ trajectoryGroups, metrics }) {
      for (const [role, groups] of byRole(trajectoryGroups)) {
        const estimator = estimatorOf(role, algorithm);
        if (!BY_ANCHOR.includes(estimator)) continue;
        const { ignoreKeys } = anchorOptions.parse(algorithm.estimatorOptions[estimator] ?? {});
        const clusters = groups.flatMap((group) => knownClusters(group, ignoreKeys));
        if (clusters.length === 0) continue;
        const shared = sharedSteps(clusters);
        metrics[`step_groups/${role}/shared_steps`] = shared;
        metrics[`step_groups/${role}/clusters`] = clusters.flat().length;
        if (shared > 0 || warned.has(role)) continue;
        warned.add(role);
        logger.warn(
          `No two steps of role "${role}" were taken in the same state, so "${estimator}" has nothing to compare between steps. Do observations hold something that is never the same twice, such as a timestamp? See ignoreKeys.`,
        );
      }
    },
  };
}

/** The clusters of a group, in a list; none where a step has no state to be told by. */
function knownClusters(
  group: TrajectoryGroup,
  ignoreKeys: readonly string[],
): readonly (readonly StepCluster[])[] {
  try {
    return stepClusters([group], { ignoreKeys });
  } catch (thrown) {
    if (RllmError.isInstance(thrown) && thrown.code === 'ESTIMATOR_INPUT') return [];
    throw thrown;
  }
}

function estimatorOf(role: string, { estimator, estimatorMap }: AlgorithmConfig): string {
  return Object.hasOwn(estimatorMap, role) ? (estimatorMap[role] ?? estimator) : estimator;
}

function byRole(groups: readonly TrajectoryGroup[]): ReadonlyMap<string, readonly TrajectoryGroup[]> {
  const roles = new Map<string, TrajectoryGroup[]>();
  for (const group of groups) {
    const own = roles.get(group.role);
    if (own === undefined) roles.set(group.role, [group]);
    else own.push(group);
  }
  return roles;
}
