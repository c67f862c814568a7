/** Every error code of the client, and how a user solves it. */
export const TINKER_ERRORS = {
  INPUT_INVALID: 'Correct the input that the message names; nothing was sent.',
  UNSUPPORTED: 'Leave out what the message names, or use an engine that has it.',
  KEY_MISSING: 'Set the environment variable TINKER_API_KEY, or give the option apiKey.',
  KEY_INVALID: 'Use a key of the hosted service; it starts with "tml-".',
  UNAUTHORIZED: 'Check that the key is valid and may do this.',
  NOT_FOUND:
    'Check the id or path that the message names; models do not outlive a restart of the engine, checkpoints do.',
  CONFLICT: 'Choose another name; the engine has this one already.',
  BILLING: 'Settle the account of the hosted service.',
  REJECTED: 'The engine refused the request; the message says why.',
  OPERATION_FAILED: 'The engine accepted the request and failed on it; the message says why.',
  UNREACHABLE: 'Check that the engine runs at the base URL and answers; then try again.',
  SUBMISSION_UNCERTAIN:
    'Resume from the last checkpoint: the engine may have executed the request, and would execute it twice.',
  NOT_SUBMITTED: 'See the cause: an earlier request of the same model failed, so this one was not sent.',
  PROMISE_LOST: 'Try again; the engine lost the result, several times.',
  TIMED_OUT: 'Try again, or raise the limit that the message names.',
  RESPONSE_INVALID: 'The engine answered with something else than the protocol says; check its version.',
  ABORTED: 'The caller aborted.',
  CLOSED: 'The client was closed; make a new one.',
} as const;

export type TinkerErrorCode = keyof typeof TINKER_ERRORS;

export interface TinkerErrorOptions {
  readonly cause?: unknown;
  readonly status?: number | undefined;
  readonly requestId?: string | undefined;
  readonly category?: string | undefined;
  readonly retryable?: boolean | undefined;
}

const BRAND = Symbol.for('rllm-tinker-client/TinkerError');

/** The one class of error that the client throws; told apart by `code`. Holds no key and no header. */
export class TinkerError extends Error {
  override readonly name = 'TinkerError';
  readonly code: TinkerErrorCode;
  /** What the user can do. */
  readonly fix: string;
  /** HTTP status of the answer, where there was one. */
  readonly status: number | undefined;
  /** The engine's id of the operation, where it had one. */
  readonly requestId: string | undefined;
  /** Whose fault the engine says it was: `user`, `server` or `unknown`. */
  readonly category: string | undefined;
  /** Whether the same call may succeed later, without a change. */
  readonly retryable: boolean;

  constructor(code: TinkerErrorCode, message: string, options: TinkerErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.fix = TINKER_ERRORS[code];
    this.status = options.status;
    this.requestId = options.requestId;
    this.category = options.category;
    this.retryable = options.retryable ?? false;
    Object.defineProperty(this, BRAND, { value: true });
  }

  /** True for errors of any copy of this package in the process. */
  static isInstance(value: unknown): value is TinkerError {
    return typeof value === 'object' && value !== null && BRAND in value;
  }
}

/** The message of anything thrown. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
