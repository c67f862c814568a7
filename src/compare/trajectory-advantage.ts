import type { Trajectory } from '../types/index.js';

/** Credit of a trajectory as its steps carry it. */
export interface TrajectoryAdvantage {
  /** The mean over its response tokens. */
  readonly mean: number;
  /** One per response token of its steps in order; absent where all of a trajectory's tokens have the same by definition. */
  readonly tokens?: readonly number[];
}

/** Null when a step has no advantage: the trajectory does not train. */
export function advantageOf({ steps }: Trajectory): TrajectoryAdvantage | null {
  const advantages = steps.map((step) => step.advantage);
  const [first] = advantages;
  if (first === undefined || advantages.includes(undefined)) return null;
  if (typeof first === 'number' && advantages.every((advantage) => advantage === first)) {
    return { mean: first };
  }
  const tokens = steps.flatMap(({ advantage, responseIds }) =>
    typeof advantage === 'number' ? responseIds.map(() => advantage) : (advantage ?? []),
  );
  if (tokens.length === 0) return { mean: 0, tokens };
  return { mean: tokens.reduce((sum, value) => sum + value, 0) / tokens.length, tokens };
}
