import type { Clock } from './clock.js';
import type { EngineProfile } from './engine/engine-profile.js';
import type { ClientLimits } from './limits.js';
import type { TinkerLogger } from './logger.js';
import type { QueueStateEvent } from './types/queue-state.js';

/** What a `ServiceClient` is made from. */
export interface ServiceClientOptions {
  /** Default: the environment variable TINKER_BASE_URL, else the hosted service. `/api/v1` is added. */
  readonly baseUrl?: string;
  /** Default: the environment variable TINKER_API_KEY. tx needs none. */
  readonly apiKey?: string;
  /** Default `auto`: told from the address and the engine's first answers. */
  readonly engine?: 'auto' | 'hosted' | 'tx' | EngineProfile;
  /** Default `auto`: protobuf for the hosted service, JSON for tx. */
  readonly wire?: 'auto' | 'json' | 'protobuf';
  /** Default: the global one. */
  readonly fetch?: typeof globalThis.fetch;
  readonly logger?: TinkerLogger;
  readonly limits?: Partial<ClientLimits>;
  readonly clock?: Clock;
  /** Numbers in [0, 1) for the jitter of retries; default Math.random. */
  readonly random?: () => number;
  /** Words that the session is found by; default TINKER_TAGS, split at commas. */
  readonly tags?: readonly string[];
  readonly userMetadata?: Readonly<Record<string, string>>;
  /** Default: the environment variable TINKER_PROJECT_ID. */
  readonly projectId?: string;
  /** Told why results are late, as the engine says it. */
  readonly onQueueState?: (event: QueueStateEvent) => void;
}
