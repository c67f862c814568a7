import type { CompactFilteringConfig } from '../config/types.js';
import type { Episode, TerminationReason } from '../types/index.js';

const SETTING = {
  max_prompt_length_exceeded: 'maskMaxPromptLengthExceeded',
  max_response_length_exceeded: 'maskMaxResponseLengthExceeded',
  env_done: 'maskEnvDone',
  max_turns_exceeded: 'maskMaxTurnsExceeded',
  timeout: 'maskTimeout',
  unknown: 'maskUnknown',
  error: 'maskError',
} as const satisfies Record<TerminationReason, keyof CompactFilteringConfig>;

/** Whether rollouts that ended so are left out. An episode without a reason counts as `unknown`. */
export function isMasked(reason: TerminationReason | undefined, config: CompactFilteringConfig): boolean {
  return config.enable && config[SETTING[reason ?? 'unknown']];
}

export interface CompactFiltering {
  readonly kept: readonly Episode[];
  readonly masked: readonly Episode[];
}

/** Tells episodes apart by how they ended. Nothing is changed; both lists keep the order. */
export function applyCompactFiltering(
  episodes: readonly Episode[],
  config: CompactFilteringConfig,
): CompactFiltering {
  if (!config.enable) return { kept: episodes, masked: [] };
  const kept: Episode[] = [];
  const masked: Episode[] = [];
  for (const episode of episodes) (isMasked(episode.terminationReason, config) ? masked : kept).push(episode);
  return { kept, masked };
}
