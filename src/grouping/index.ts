export { type AttachOptions, attachBaselines } from './attach-baselines.js';
export {
  GroupingHook,
  type GroupingHookClass,
  type GroupingHookDecorator,
  type GroupingHookOptions,
} from './grouping-hook.js';
export { type GroupingHookDescriptor, GroupingHookRegistry } from './grouping-hook-registry.js';
export { ownedHook } from './owned-hook.js';
export { builtInGroupingHooks, taskRoleGrouping } from './task-role-grouping.js';
export {
  type TransformOptions,
  type TransformResult,
  transformEpisodesToTrajectoryGroups,
} from './transform-episodes.js';
