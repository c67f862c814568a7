/** How hard the client may press the engine and how long it waits. Times in milliseconds. */
export interface ClientLimits {
  /** One HTTP request other than a poll; default 60 s. */
  readonly requestTimeoutMs: number;
  /** One poll; default 45 s. Engines hold a poll open until the result is there; giving up and asking again costs nothing. */
  readonly pollTimeoutMs: number;
  /** How long a submission, or a poll that only meets failures, is retried; default 5 min. */
  readonly retryMs: number;
  /** First wait between retries; default 500. It doubles each time up to `retryMaxMs`, less up to a quarter by chance. */
  readonly retryBaseMs: number;
  /** Longest wait between retries of a submission; default 10 s. */
  readonly retryMaxMs: number;
  /** How long a result may take after all, and an engine refuse all samples by 429; default 2 h. */
  readonly resultTimeoutMs: number;
  /** How often a request whose promise the engine lost (410) is submitted anew; default 3. */
  readonly resubmissions: number;
  /** Polls open at the same time; default by engine. */
  readonly concurrentPolls: number;
  /** Sample calls submitted and not yet answered; default by engine. */
  readonly concurrentSamples: number;
  /** Sample submissions on the wire at the same time; default by engine. */
  readonly concurrentSampleSubmits: number;
  /** Prompt bytes, estimated, of sample submissions on the wire at the same time; default 10 MiB. */
  readonly sampleSubmitBytes: number;
  /** Result bytes, announced, of large results on their way at the same time; default 50 MiB. */
  readonly responseBytes: number;
  /** Largest number of datums in one request; default 1024. More are sent in several requests. */
  readonly chunkDatums: number;
  /** Largest size of one request, by estimate; default 5,000,000. */
  readonly chunkBytes: number;
  /** Time between heartbeats of the session; default 10 s. */
  readonly heartbeatMs: number;
  /** Silence of the engine after which a warning is logged; default 2 min. */
  readonly heartbeatWarningMs: number;
}

/** Those that do not depend on the engine. */
export type GeneralLimits = Omit<
  ClientLimits,
  'concurrentPolls' | 'concurrentSamples' | 'concurrentSampleSubmits'
>;

/** What holds on every engine, unless the engine's own configuration or the caller says otherwise. */
export const DEFAULT_LIMITS: GeneralLimits = {
  requestTimeoutMs: 60_000,
  pollTimeoutMs: 45_000,
  retryMs: 300_000,
  retryBaseMs: 500,
  retryMaxMs: 10_000,
  resultTimeoutMs: 7_200_000,
  resubmissions: 3,
  sampleSubmitBytes: 10 * 1024 * 1024,
  responseBytes: 50 * 1024 * 1024,
  chunkDatums: 1024,
  chunkBytes: 5_000_000,
  heartbeatMs: 10_000,
  heartbeatWarningMs: 120_000,
};
