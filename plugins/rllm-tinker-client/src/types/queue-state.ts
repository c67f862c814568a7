/** Why a result is not there yet, as the engine says it while we wait. */
export interface QueueStateEvent {
  readonly requestId: string;
  /** Such as `active`, `paused_capacity`, `paused_rate_limit`. */
  readonly state: string;
  readonly reason: string | undefined;
}
