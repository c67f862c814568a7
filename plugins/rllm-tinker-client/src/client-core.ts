import type { Clock } from './clock.js';
import type { EngineProfile } from './engine/engine-profile.js';
import type { QueueWatch } from './futures/queue-watch.js';
import type { ClientLimits, GeneralLimits } from './limits.js';
import type { TinkerLogger } from './logger.js';
import type { SampleGate } from './sampling/sample-gate.js';
import type { Budget } from './transport/budget.js';
import type { HttpTransport } from './transport/http-transport.js';
import type { Lifetime } from './transport/lifetime.js';
import type { TokenSource } from './transport/token-source.js';

/** What every part of one client shares before it knows its engine. */
export interface ClientCore {
  readonly transport: HttpTransport;
  readonly token: TokenSource;
  readonly lifetime: Lifetime;
  readonly clock: Clock;
  readonly logger: TinkerLogger;
  readonly limits: GeneralLimits;
  /** In [0, 1) */
  readonly random: () => number;
  /** Takes the key out of a text of the engine's. */
  readonly redact: (text: string) => string;
}

/** The same once a session is open. */
export interface SessionCore extends ClientCore {
  readonly limits: ClientLimits;
  readonly engine: EngineProfile;
  readonly sessionId: string;
  readonly wire: 'json' | 'protobuf';
  /** Whether protobuf requests may be compressed by zstd. */
  readonly compress: boolean;
  readonly polls: Budget;
  readonly responseBytes: Budget;
  readonly sampleGate: SampleGate;
  readonly queueWatch: QueueWatch;
  /** Next number of a model of this session, from 0. */
  readonly nextModelSeqId: () => number;
  /** Next number of a sampling session of this session, from 0. */
  readonly nextSamplingSessionSeqId: () => number;
}
