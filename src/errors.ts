/** Every error code: its exit code on the command line, and how a user solves it. `docs/errors.md` has the same rows, which a test checks. */
export const ERRORS = {
  CONFIG_NOT_FOUND: {
    exit: 2,
    fix: 'Write an rllmrc.json (see rllmrc.example.json), or name a file with --config FILE.',
  },
  CONFIG_AMBIGUOUS: {
    exit: 2,
    fix: 'Keep one of the files named, or say which with --config FILE.',
  },
  CONFIG_FOREIGN: {
    exit: 2,
    fix: 'Name it with --config FILE if it is meant, or write a config file of your own.',
  },
  CONFIG_UNREADABLE: { exit: 2, fix: 'Mend the syntax of the config file at the place named.' },
  CONFIG_IS_CODE: {
    exit: 2,
    fix: 'Write it as JSON or YAML, name such a file with --config FILE, or leave out --config-data-only to let it run.',
  },
  CONFIG_INVALID: {
    exit: 2,
    fix: 'Correct each line of the report; `rllm config schema` prints what is allowed.',
  },
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the syntax of a default that the user is to write.
  CONFIG_ENV_MISSING: { exit: 2, fix: 'Set the environment variable, or give a default: ${NAME:-default}.' },
  UNKNOWN_NAME: {
    exit: 2,
    fix: 'Correct the spelling, or add the plugin that brings this name to `plugins`.',
  },
  DUPLICATE_NAME: { exit: 2, fix: 'Rename one of the two, or declare the second with `override: true`.' },
  REGISTRY_FROZEN: { exit: 2, fix: 'Register before the app is created; nothing is added to a running app.' },
  DECORATOR_MISUSED: {
    exit: 2,
    fix: 'Decorate a class with the required method, a static method, or a function, and say of it only what the decorator takes.',
  },
  PLUGIN_INVALID: { exit: 2, fix: 'Correct each plugin named in the report, or remove it from `plugins`.' },
  COMMAND_FAILED: { exit: 1, fix: 'See the cause; it was thrown by the command of the plugin named.' },
  INJECTION_FAILED: {
    exit: 2,
    fix: 'Give each constructor parameter `@inject(TOKEN)`, or list the tokens in `static inject`, and ask only for tokens that are bound.',
  },
  TEARDOWN_FAILED: {
    exit: 1,
    fix: 'See the cause; a part could not release what it held. What the run wrote is not affected.',
  },
  CAPABILITY_MISSING: { exit: 2, fix: 'Change the setting named, or choose a backend that can honour it.' },
  SETTING_IMPOSSIBLE: { exit: 2, fix: 'Change one of the settings named so that they fit together.' },
  DATASET_INVALID: { exit: 2, fix: 'Correct the file and line named; every row is one JSON object.' },
  DATASET_EMPTY: { exit: 2, fix: 'Give a dataset with at least one row.' },
  DATASET_TOO_SMALL: { exit: 2, fix: 'Lower data.trainBatchSize, or set data.dropLast to false.' },
  REWARD_MISSING: {
    exit: 1,
    fix: 'Set a reward in the workflow, or set algorithm.missingReward to "exclude".',
  },
  REWARD_NOT_FINITE: {
    exit: 1,
    fix: 'Mend the reward function, or set algorithm.missingReward to "exclude".',
  },
  REWARD_FAILED: { exit: 1, fix: 'See the cause; it was thrown by the reward function named.' },
  EMPTY_GROUP: { exit: 1, fix: 'Return groups with at least one trajectory.' },
  ESTIMATOR_INPUT: {
    exit: 1,
    fix: 'Have the workflow or the backend give what the message names, or choose an estimator that needs less.',
  },
  ESTIMATOR_OUTPUT: {
    exit: 1,
    fix: 'Return one finite number per trajectory, in the shape of batch.rewards, or for each a list of one per response token of its steps.',
  },
  ESTIMATOR_THREW: { exit: 1, fix: 'See the cause; it was thrown by the estimator named.' },
  ADVANTAGE_LENGTH: { exit: 1, fix: 'Give one advantage per response token, or a single number.' },
  ADVANTAGE_NOT_FINITE: {
    exit: 1,
    fix: 'Mend what sets the advantage of the step named; give finite numbers.',
  },
  GROUPING_HOOK: { exit: 1, fix: 'Return groups whose trajectories come from the episodes given.' },
  STEP_MALFORMED: { exit: 1, fix: 'Give one log-prob per response token, or none at all.' },
  WORKFLOW_FAILED: {
    exit: 1,
    fix: 'See the cause; set workflow.raiseOnError to false to go on without failed rollouts.',
  },
  ROLLOUT_FAILED: { exit: 1, fix: 'See the cause; the model call of a rollout failed.' },
  TOKEN_UNKNOWN: { exit: 1, fix: 'Add the word to the vocabulary of the backend, or do not send it.' },
  PROMPT_TOO_LONG: { exit: 1, fix: 'Shorten the conversation or raise the context length of the model.' },
  BACKEND_FAILED: { exit: 1, fix: 'See the cause; the backend could not go on.' },
  HOOK_FAILED: { exit: 1, fix: 'See the cause; it was thrown by the plugin named.' },
  CHECKPOINT_INVALID: {
    exit: 2,
    fix: 'Resume from another checkpoint; this one is incomplete or from another configuration.',
  },
  RUN_DIR_INVALID: { exit: 2, fix: 'Give an empty folder with --run-dir, or go on with --resume DIR.' },
  EPISODES_MISSING: {
    exit: 2,
    fix: 'Name a run and a step that have episodes: they are saved while tracking.logEpisodes is true.',
  },
  PLUGIN_CHANGED: {
    exit: 2,
    fix: 'Install and name the plugins that the run was made with, or go on with others by --allow-plugin-change.',
  },
  ABORTED: { exit: 130, fix: 'Resume with the command printed.' },
  UNHANDLED_ERROR: {
    exit: 1,
    fix: 'Await every promise, and catch what timers and event handlers throw; --verbose shows where it comes from.',
  },
  NEVER_SETTLED: {
    exit: 1,
    fix: 'Have every promise that is awaited there resolve or reject, also when nothing comes: by a timeout, say.',
  },
  USAGE: { exit: 2, fix: 'See `rllm --help`.' },
  CHECK_FAILED: { exit: 3, fix: 'The result is below the threshold that was asked for.' },
} as const;

export type ErrorCode = keyof typeof ERRORS;

export interface RllmErrorOptions {
  readonly cause?: unknown;
  /** Machine-readable context, for example `{ role, taskId }`. */
  readonly details?: Readonly<Record<string, unknown>>;
}

const BRAND = Symbol.for('rllm.error');

/** The one error class of the SDK. `message` says what was given and what was expected; `fix` says what to do. */
export class RllmError extends Error {
  override readonly name = 'RllmError';
  readonly code: ErrorCode;
  readonly fix: string;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(code: ErrorCode, message: string, options: RllmErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.fix = ERRORS[code].fix;
    this.details = options.details ?? {};
    Object.defineProperty(this, BRAND, { value: true });
  }

  /** True for errors of any copy of the SDK in this process. */
  static isInstance(value: unknown): value is RllmError {
    return typeof value === 'object' && value !== null && BRAND in value;
  }

  /** Exit code of the command line for this error. */
  get exitCode(): number {
    return ERRORS[this.code].exit;
  }
}

/** The message of anything thrown. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
