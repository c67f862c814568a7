import type { TerminationReason } from '../types/index.js';

const BRAND = Symbol.for('rllm.termination');

/** Thrown by `context.terminate(reason)`: ends a rollout with a reason, and is no failure unless the reason is `error`. */
export class TerminationEvent extends Error {
  override readonly name = 'TerminationEvent';
  readonly reason: TerminationReason;

  constructor(reason: TerminationReason) {
    // It is how most rollouts end, and where it was thrown from tells nothing: a stack trace would cost more than the rest.
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(`The rollout ended: ${reason}.`);
    Error.stackTraceLimit = stackTraceLimit;
    this.reason = reason;
    Object.defineProperty(this, BRAND, { value: true });
  }

  /** True for events of any copy of the SDK in this process. */
  static isInstance(value: unknown): value is TerminationEvent {
    return typeof value === 'object' && value !== null && BRAND in value;
  }
}
