import type { EngineProfile } from './engine-profile.js';
import { HOSTED_PROFILE } from './hosted-profile.js';
import { TX_03_PROFILE, TX_PROFILE } from './tx-profile.js';

/** What an engine shows of itself before the first real request. */
export interface EngineTraits {
  readonly baseUrl: string;
  /** Whether it knows the route `client/config`. */
  readonly hasClientConfig: boolean;
  readonly sessionId: string;
}

/** tx names sessions `session_` and eight hex digits. The hosted service knows `client/config`, as every tx since 0.4 does. */
export function detectEngine(traits: EngineTraits): EngineProfile {
  if (new URL(traits.baseUrl).hostname.endsWith('.thinkingmachines.dev')) return HOSTED_PROFILE;
  if (!traits.hasClientConfig) return TX_03_PROFILE;
  return /^session_[0-9a-f]{8}$/.test(traits.sessionId) ? TX_PROFILE : HOSTED_PROFILE;
}
