import type { EngineProfile } from '../engine/engine-profile.js';

/** What the service at the base URL offers. */
export interface Capabilities {
  readonly engine: EngineProfile;
  readonly models: readonly {
    readonly name: string | undefined;
    readonly maxContextLength: number | undefined;
  }[];
}
