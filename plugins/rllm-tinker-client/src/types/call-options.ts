/** What every call takes last. */
export interface CallOptions {
  /** Ends the waiting with an error of code ABORTED. What the engine has accepted, it still executes. */
  readonly signal?: AbortSignal;
}
