import type { AlgorithmConfig } from '../config/types.js';
import type { Json, TrajectoryGroup } from '../types/index.js';

/** What an estimator needs beyond rewards; a run that cannot give it fails at start. */
export type Requirement =
  | 'lengths'
  | 'logprobs'
  /** `step.values`, from a backend with a critic. */
  | 'values'
  /** `step.referenceLogprobs`, from a backend that keeps a frozen copy. */
  | 'referenceLogprobs'
  /** `step.teacherLogprobs`, from a backend that has a teacher, or from the workflow. */
  | 'teacherLogprobs'
  /** `group.baselines`: one greedy rollout per task, made by the trainer. */
  | 'greedyBaseline'
  /** `trajectory.rewards`, set by the workflow. */
  | 'rewardComponents'
  /** `step.observation`, set by the workflow: the state in which the step was taken. */
  | 'stepAnchors';

/** All groups of one role in one optimiser step. */
export interface AdvantageBatch<Options = unknown> {
  readonly role: string;
  /** `rewards[g][i]`, float64, finite; views of one flat buffer. Read-only by contract: a copy is passed. */
  readonly rewards: readonly Float64Array[];
  /** Same outer shape as `rewards`. */
  readonly groups: readonly TrajectoryGroup[];
  readonly algorithm: AlgorithmConfig;
  /** `algorithm.estimatorOptions[name]` as the estimator's own schema gives it; `{}` where it has none. */
  readonly options: Options;
}

/** Advantages `[g][i]`, one number per trajectory, or `[g][i][t]`, one per response token of the trajectory's steps in order. */
export interface AdvantageEstimates {
  readonly advantages: readonly ArrayLike<number>[] | readonly (readonly ArrayLike<number>[])[];
  /** Same shape as `advantages`, where the estimator has returns apart from them. Per token they go to `step.returns`, for a critic. */
  readonly returns?: AdvantageEstimates['advantages'];
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

/** An estimator as a plain function, whatever its options are: the schema it declares has checked them. */
export type EstimateFunction<Options = unknown> = {
  // A method, so that a function of certain options stands where one of any options is asked for.
  estimate(batch: AdvantageBatch<Options>): AdvantageEstimates;
}['estimate'];

/** What an estimator may look at before a run, to refuse what cannot work. */
export interface EstimatorPlan<Options = unknown> {
  readonly options: Options;
  readonly algorithm: AlgorithmConfig;
  /** Rollouts per task. */
  readonly rollouts: number;
  /** Tasks per optimiser step. */
  readonly tasksPerBatch: number;
}

/** Any class whose instances estimate; the container constructs it. */
export type EstimatorClass = abstract new (...args: never[]) => AdvantageEstimator;
