import type { AlgorithmConfig } from '../config/types.js';
import type { Json, TrajectoryGroup } from '../types/index.js';

/** What an estimator needs beyond rewards; a run that cannot give it fails at start. */
export type Requirement =
  | 'lengths'
  | 'logprobs'
  | 'values'
  | 'greedyBaseline'
  | 'rewardComponents'
  | 'stepAnchors';

/** All groups of one role in one optimiser step. */
export interface AdvantageBatch {
  readonly role: string;
  /** `rewards[g][i]`, float64, finite; views of one flat buffer. Read-only by contract: a copy is passed. */
  readonly rewards: readonly Float64Array[];
  /** Same outer shape as `rewards`. */
  readonly groups: readonly TrajectoryGroup[];
  readonly algorithm: AlgorithmConfig;
}

/** Advantages `[g][i]`, one number per trajectory, or `[g][i][t]`, one per response token of the trajectory's steps in order. */
export interface AdvantageEstimates {
  readonly advantages: readonly ArrayLike<number>[] | readonly (readonly ArrayLike<number>[])[];
  /** Same shape as `advantages`, where the estimator has returns apart from them. */
  readonly returns?: readonly ArrayLike<number>[];
}

/** Assigns credit to trajectories. Called once per role and optimiser step with all its groups. */
export interface AdvantageEstimator {
  /** `batch` says that groups influence each other, so that the trainer must pass whole batches. */
  readonly scope?: 'group' | 'batch';
  readonly requires?: ReadonlySet<Requirement>;
  estimate(batch: AdvantageBatch): AdvantageEstimates;
  /** State across batches, saved with every checkpoint. */
  stateDict?(): Json;
  loadStateDict?(state: Json): void;
}

/** An estimator as a plain function. */
export type EstimateFunction = (batch: AdvantageBatch) => AdvantageEstimates;

/** Any class whose instances estimate; the container constructs it. */
export type EstimatorClass = abstract new (...args: never[]) => AdvantageEstimator;
