import { type Episode, GroupingHook, type TrajectoryGroup, trajectoryPart } from 'rllm-sdk';
import { z } from 'zod';
import { type StepValueOptions, stepValueFields, stepValues } from '../step-value.js';
import { groupByPlace } from './group-by-place.js';

const schema = z.strictObject(stepValueFields);

/**
 * The grouping hook `by_step`: each step becomes a trajectory of one step, a part of its own, compared with the steps at the same
 * position of the same task and role. So any estimator gives credit per step: `grpo` under this hook is the estimator `per_step`.
 *
 * The reward of a part is what its step is worth (`value`): the discounted return from it on, its own reward, or its `mcReturn`.
 * The trajectory's own reward is not replaced, and what it has beyond the sum of its steps counts for the last step. Metrics of
 * rewards, groups and trajectories (`reward/{role}/mean`, `grouping/…`, `batch/{role}/…`) then count steps; those of rollouts
 * (`batch/solve_rate`, `val/{source}/pass@k`, `ledger/…`) still count rollouts: a rollout with one step that trains has trained.
 * `rejectionSample` judges the groups of steps: mode `group` drops the positions at which all are worth the same. A step whose worth is
 * no number is left to `algorithm.missingReward`, as a trajectory is; length penalties and clips apply to steps.
 *
 * On the local backend each step trains as a sequence of its own, prompt included, where a trajectory would be one sequence. The
 * estimator `per_step` gives the same credit without that.
 *
 * Row: rewards of steps [0, 1] and [0, 0, 0] with `value: "return"`, γ = 1: groups [1, 0], [1, 0] and, of one, [0].
 */
export const byStep: GroupingHook<StepValueOptions> = GroupingHook('by_step', {
  summary: 'each step on its own: one group for each task, role and position of the step',
  options: schema,
})(
  (
    episodes: readonly Episode[],
    _transform: unknown,
    options?: StepValueOptions,
  ): readonly TrajectoryGroup[] => {
    const value = options ?? schema.parse({});
    return groupByPlace(episodes, (trajectory, { taskId }) => {
      const { name: role, steps, reward } = trajectory;
      const values = stepValues(trajectory, reward, value);
      return steps.map((_, s) => ({
        key: [role, taskId, s],
        groupId: `${taskId}:${role}#${s}`,
        role,
        trajectory: trajectoryPart(trajectory, s, s + 1, values[s]),
      }));
    });
  },
);
