/** Why a rollout ended. The values are rLLM's, as they appear in metric names and files. */
export const TERMINATION_REASONS = [
  'max_prompt_length_exceeded',
  'max_response_length_exceeded',
  'env_done',
  'max_turns_exceeded',
  'timeout',
  'unknown',
  'error',
] as const;

export type TerminationReason = (typeof TERMINATION_REASONS)[number];
