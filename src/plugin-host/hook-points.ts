import type { LifecycleHooks } from '../types/index.js';

/** Every point of a run at which a plugin may be called, in the order of a run. */
export const HOOK_POINTS: readonly (keyof LifecycleHooks)[] = Object.keys({
  onTrainStart: true,
  onEpochStart: true,
  onBatchStart: true,
  onRolloutEnd: true,
  onGroups: true,
  onUpdateStart: true,
  onUpdateEnd: true,
  onBatchEnd: true,
  onEpochEnd: true,
  onValidationStart: true,
  onValidationEnd: true,
  onCheckpoint: true,
  onTrainEnd: true,
} satisfies Record<keyof LifecycleHooks, true>) as (keyof LifecycleHooks)[];

/** The points that hooks listen to. A method of a class counts, so hooks may be an instance that keeps state. */
export function pointsOf(hooks: LifecycleHooks | undefined): readonly (keyof LifecycleHooks)[] {
  return hooks === undefined ? [] : HOOK_POINTS.filter((point) => hooks[point] !== undefined);
}
