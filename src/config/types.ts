/**
 * The resolved configuration: every field is present. Defaults stand in `schema/`, once. The comments here are also the
 * descriptions that editors show, which a test checks.
 */
export interface RllmConfig {
  /** Plugins, in the order in which they load: a package name, a file relative to the config file, or `{ use, options }`. */
  readonly plugins: readonly PluginReference[];
  /** How credit is assigned and the policy updated. */
  readonly algorithm: AlgorithmConfig;
  /** How episodes become trajectory groups. */
  readonly transform: TransformConfig;
  /** Which rollouts are left out by how they ended. */
  readonly compactFiltering: CompactFilteringConfig;
  /** Which groups are left out by their rewards. */
  readonly rejectionSample: RejectionSamplingConfig;
  /** What a rollout runs. */
  readonly workflow: WorkflowConfig;
  /** What judges a rollout, in place of the reward that its workflow gives. */
  readonly reward: RewardConfig;
  /** How many rollouts a task gets, and how they are sampled. */
  readonly rollout: RolloutConfig;
  /** How long training goes on, and what it leaves behind. */
  readonly trainer: TrainerConfig;
  /** What is trained and validated on. */
  readonly data: DataConfig;
  /** Where the model trains: the name of a backend, or `{ name, options }`. */
  readonly backend: BackendConfig;
  /** Where metrics go. */
  readonly tracking: TrackingConfig;
}

/** A plugin: an npm package, or a file relative to the config file. Read by the plugin host. */
export interface PluginReference {
  /** Package name, or file relative to the config file. */
  readonly use: string;
  /** Validated against the plugin's own schema. */
  readonly options: Readonly<Record<string, unknown>>;
}

/** How credit is assigned and the policy updated. Read by `collectRewardsAndAdvantages` and by backends. */
export interface AlgorithmConfig {
  /** Name of the estimator of every role that `estimatorMap` does not name. */
  readonly estimator: string;
  /** Estimator by role. */
  readonly estimatorMap: Readonly<Record<string, string>>;
  /** Options by estimator name, each validated by its estimator's own schema. */
  readonly estimatorOptions: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** Only `broadcast` is implemented, as in the reference: one advantage for all tokens of a trajectory. */
  readonly stepwiseAdvantageMode: 'broadcast';
  /** Read by `grpo`: divide by the group's std. */
  readonly normAdvByStdInGrpo: boolean;
  /** Take `step.advantage` where the workflow has set it, instead of estimating. */
  readonly usePrecomputedAdvantage: boolean;
  /** Advantage of a trajectory alone in its group: its reward (rLLM), 0, or none (it does not train). */
  readonly loneTrajectory: 'reward' | 'zero' | 'drop';
  /** A missing or non-finite reward stops the run, or leaves the trajectory out of its group. */
  readonly missingReward: 'error' | 'exclude';
  /** Bound of every advantage: they are clipped to [−c, c]; `null` for none. */
  readonly advantageClip: number | null;
  /** Bounds of the rewards that estimators see. Metrics and rejection sampling see rewards as they are. */
  readonly rewardClip: RewardClipConfig;
  /** Takes a penalty for long trajectories off the reward before the estimator sees it; `null` for none. */
  readonly lengthPenalty: LengthPenaltyConfig | null;
  /** Takes `coefficient · Σₜ k(logπ − logπ_ref)` off the reward. Needs a backend with reference log-probs. */
  readonly klInReward: KlInRewardConfig;
  /** Read by backends: the loss of every role that `lossFnMap` does not name; `null` takes the estimator's default. */
  readonly lossFn: string | null;
  /** Loss by role. */
  readonly lossFnMap: Readonly<Record<string, string>>;
  /** Read by losses. Clip thresholds are absolute bounds of the probability ratio. */
  readonly lossConfig: LossConfig;
  /** Read by backends; `null` takes the backend's own default. */
  readonly learningRate: number | null;
  /** How the learning rate goes on after warm-up: it stays, or falls to 0 over the planned steps. */
  readonly lrSchedule: 'constant' | 'linear' | 'cosine';
  /** Share of the planned steps over which the learning rate rises linearly from 0, in [0, 1]. */
  readonly warmupStepsRatio: number;
  /** Read by backends. */
  readonly adam: AdamConfig;
  /** Bound of the gradient's global L2 norm; `null` for none. */
  readonly maxGradNorm: number | null;
  /** Optimiser steps per pass over a batch; the batch is split in that many parts. */
  readonly miniBatches: number;
  /** Passes over a batch. */
  readonly updateEpochs: number;
}

/** Read by the optimiser. */
export interface AdamConfig {
  /** Decay of the mean of the gradients. */
  readonly beta1: number;
  /** Decay of the mean of their squares. */
  readonly beta2: number;
  /** Added to the denominator. */
  readonly eps: number;
  /** Decoupled weight decay, as in AdamW. */
  readonly weightDecay: number;
}

/** Bounds of a reward. Read by `collectRewardsAndAdvantages`. */
export interface RewardClipConfig {
  /** Smaller rewards are raised to it; `null` for no bound. */
  readonly min: number | null;
  /** Larger rewards are lowered to it; `null` for no bound. */
  readonly max: number | null;
}

/** A penalty for length. Lengths are the sampled tokens of all steps of a trajectory. Read by `collectRewardsAndAdvantages`. */
export type LengthPenaltyConfig = SoftOverlongConfig | LinearLengthConfig;

/** DAPO's: nothing up to `maxTokens − buffer` tokens, then linearly down to −factor at `maxTokens`, and no further. */
export interface SoftOverlongConfig {
  /** Which penalty. */
  readonly kind: 'soft_overlong';
  /** Tokens at which the whole penalty is reached. */
  readonly maxTokens: number;
  /** Tokens over which it grows, at most `maxTokens`. */
  readonly buffer: number;
  /** The whole penalty, in reward units. */
  readonly factor: number;
}

/** As in prime-rl: −factor · (mean reward of the group) · length / (longest of the group), so that a group without success has none. */
export interface LinearLengthConfig {
  /** Which penalty. */
  readonly kind: 'linear';
  /** Share of the group's mean reward that its longest trajectory loses. */
  readonly factor: number;
}

/** KL in the reward. Read by `collectRewardsAndAdvantages`. */
export interface KlInRewardConfig {
  /** Weight, in reward units per nat; 0 for none. */
  readonly coefficient: number;
  /** What one token counts, with d = logπ − logπ_ref: k1 is d, k2 is d²/2, k3 is exp(−d) − 1 + d, abs is |d|. */
  readonly estimator: 'k1' | 'k2' | 'k3' | 'abs';
}

/** Parameters of the losses; a `null` takes the loss's own default (ppo 0.8–1.2, cispo 0–4, dro 0.05). */
export interface LossConfig {
  /** Read by `ppo` and `cispo`: smallest probability ratio that still counts. */
  readonly clipLowThreshold: number | null;
  /** Read by `ppo` and `cispo`: largest probability ratio that still counts. */
  readonly clipHighThreshold: number | null;
  /** Read by `dro`: weight of the squared log-ratio. */
  readonly beta: number | null;
}

/** How episodes become groups. Read by the transform. */
export interface TransformConfig {
  /** Name of the grouping hook. */
  readonly groupingHook: string;
  /** Options by name of a grouping hook, so that switching is one line; each validated by its hook's own schema. */
  readonly groupingOptions: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** Name unnamed trajectories `default_traj_name_{position}`; `false` drops them (counted). */
  readonly imputeMissingNames: boolean;
  /** Where a trajectory without a reward takes one from: its last step, the sum of its steps, or nowhere (then `algorithm.missingReward` decides). */
  readonly trajectoryReward: 'last' | 'sum' | 'none';
}

/** Leaves rollouts out by how they ended. Read by the transform. */
export interface CompactFilteringConfig {
  /** Whether anything is left out. */
  readonly enable: boolean;
  /** Leave out rollouts that ended with `max_prompt_length_exceeded`. */
  readonly maskMaxPromptLengthExceeded: boolean;
  /** Leave out rollouts that ended with `max_response_length_exceeded`. */
  readonly maskMaxResponseLengthExceeded: boolean;
  /** Leave out rollouts that ended with `env_done`. */
  readonly maskEnvDone: boolean;
  /** Leave out rollouts that ended with `max_turns_exceeded`. */
  readonly maskMaxTurnsExceeded: boolean;
  /** Leave out rollouts that ended with `timeout`. */
  readonly maskTimeout: boolean;
  /** Leave out rollouts that ended with `unknown`. */
  readonly maskUnknown: boolean;
  /** Leave out rollouts that ended with `error`. */
  readonly maskError: boolean;
}

/** Read by rejection sampling. */
export interface RejectionSamplingConfig {
  /** `none` drops only below `minTrajsPerGroup`; `episode` accumulates batches until enough tasks are partly solved; `group` drops groups without spread. */
  readonly mode: 'none' | 'episode' | 'group';
  /** Read in `episode` mode: partly solved tasks needed for an update. */
  readonly minPartialSolveTasks: number;
  /** Groups with fewer trajectories are dropped, in every mode. */
  readonly minTrajsPerGroup: number;
}

/** Read by the workflow engine. */
export interface WorkflowConfig {
  /** Name of the workflow; empty when it is given in code. */
  readonly use: string;
  /** Handed to the workflow, validated against its own schema where it has one. */
  readonly options: Readonly<Record<string, unknown>>;
  /** Rollouts that run at once. */
  readonly nParallelTasks: number;
  /** Attempts per rollout; 1 means no retry. */
  readonly retryLimit: number;
  /** Terminations that are tried again. */
  readonly retryOn: readonly ('error' | 'timeout')[];
  /** First pause before a retry; it doubles with each attempt, with jitter. */
  readonly retryBackoffMs: number;
  /** Deadline of one attempt; `null` for none. */
  readonly timeoutMs: number | null;
  /** Stop the run when a rollout has failed for good. */
  readonly raiseOnError: boolean;
  /** Discount for step returns written to step rewards; 0 leaves them. */
  readonly gamma: number;
  /** Adds `c·(rᵢ − rᵢ₋₁)` to step rewards. */
  readonly rewardBonusCoeff: number;
}

/** Read by the workflow engine, in training and in validation. */
export interface RewardConfig {
  /** Reward functions, each by its name alone or `{ use, … }`; a trajectory's reward is the weighted sum of those that cover its role. Empty leaves rewards to the workflow. */
  readonly functions: readonly RewardReference[];
}

/** One reward function of the sum. */
export interface RewardReference {
  /** Name of the reward function. */
  readonly use: string;
  /** Names the score among the parts of the reward (`trajectory.rewards`); `null` takes the name of the function. */
  readonly name: string | null;
  /** Factor of the score in the reward; 0 only records it. */
  readonly weight: number;
  /** Roles whose trajectories it scores; `null` for all. */
  readonly roles: readonly string[] | null;
  /** Validated against the function's own schema. */
  readonly options: Readonly<Record<string, unknown>>;
}

/** Read by the trainer and the rollout engine. */
export interface RolloutConfig {
  /** Rollouts per training task: the group size. */
  readonly n: number;
  /** Rollouts per validation task. */
  readonly nVal: number;
  /** Sampling in training. */
  readonly train: SamplingConfig;
  /** Sampling in validation. */
  readonly val: SamplingConfig;
}

/** Read by the rollout engine. */
export interface SamplingConfig {
  /** 0 takes the likeliest token. */
  readonly temperature: number;
  /** Keep the likeliest tokens that hold this much probability. */
  readonly topP: number;
  /** Longest completion of one model call, in tokens. */
  readonly maxTokens: number;
}

/** Read by the trainer and the command line. */
export interface TrainerConfig {
  /** Names the folder of the project's runs. */
  readonly projectName: string;
  /** Names the folder of the experiment's runs. */
  readonly experimentName: string;
  /** Decides every random number of the run. */
  readonly seed: number;
  /** Passes over the training data; 0 leaves the end to `totalBatches`. */
  readonly totalEpochs: number;
  /** Stop after this many steps; `null` leaves it to `totalEpochs`. */
  readonly totalBatches: number | null;
  /** Validate every k steps and at the end, where there is validation data; 0 never. */
  readonly testFreq: number;
  /** Validate before the first step, where there is validation data. */
  readonly valBeforeTrain: boolean;
  /** Validate, train nothing. */
  readonly valOnly: boolean;
  /** Save a checkpoint every k steps; 0 only at the end. */
  readonly saveFreq: number;
  /** Checkpoints kept; older ones are removed. `null` keeps all. */
  readonly keepCheckpoints: number | null;
  /** Trajectories shown after each step. */
  readonly showTrajectories: number;
  /** Stop, as completed, once a metric reaches a value: `{ metric: "val/unknown/pass@1", atLeast: 0.95 }`. */
  readonly stopWhen: StopCondition | null;
  /** What becomes of a run when a lifecycle hook of a plugin throws or takes long. */
  readonly hooks: HookPolicy;
  /** Folder under which runs are written. */
  readonly runsDir: string;
}

/** Read by the trainer, at each hook of a plugin. */
export interface HookPolicy {
  /** A hook that throws ends the run, costs a warning, or costs a warning and is not called again in this run. */
  readonly onError: 'fail' | 'warn' | 'disable';
  /** A hook that runs longer is named in a warning, again each time its time has doubled; `null` for never. In milliseconds. */
  readonly slowMs: number | null;
}

/** Read by the trainer, after each step and each validation. */
export interface StopCondition {
  /** Name of the metric. */
  readonly metric: string;
  /** Its value at which training is done. */
  readonly atLeast: number;
}

/** Read by the data loader. */
export interface DataConfig {
  /** Training data: a `.jsonl` or `.json` file relative to the config file, or a dataset source with its options; `null` when it is given in code. */
  readonly train: DatasetReference | null;
  /** Validation data: as `train`; `null` when it is given in code, or there is none. */
  readonly val: DatasetReference | null;
  /** Tasks per step. */
  readonly trainBatchSize: number;
  /** Tasks per validation batch; `null` takes all at once. */
  readonly valBatchSize: number | null;
  /** Draw a new order of the training data for each epoch. */
  readonly shuffle: boolean;
  /** Leave out a last batch that is not full. */
  readonly dropLast: boolean;
  /** Field that holds a row's id; a row without it is named by its position. */
  readonly idField: string;
  /** Field that names a row's data source in validation metrics; a row without it counts as `unknown`. */
  readonly sourceField: string;
}

/** Where tasks come from. A file's path `p` is short for `{ use: 'file', options: { path: p } }`. Read by the container. */
export interface DatasetReference {
  /** Name of the dataset source. */
  readonly use: string;
  /** Validated against the source's own schema. */
  readonly options: Readonly<Record<string, unknown>>;
}

/** Which backend trains. Read by the container. */
export interface BackendConfig {
  /** Name of the backend. */
  readonly name: string;
  /** Options by backend name, so that switching is one line. Each is validated by its backend. */
  readonly options: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** Read by the trainer. */
export interface TrackingConfig {
  /** Names of trackers besides `metrics.jsonl`, which is always written. */
  readonly trackers: readonly string[];
  /** Write each episode as JSON into the run's folder. */
  readonly logEpisodes: boolean;
}
