import type { OpenAIOptions } from './openai-options.js';

/** The key in the variable that `apiKeyEnv` names, as a header sends it; undefined where there is none, or a blank one. */
export function apiKeyOf({ apiKeyEnv }: Pick<OpenAIOptions, 'apiKeyEnv'>): string | undefined {
  const key = apiKeyEnv === null ? undefined : process.env[apiKeyEnv]?.trim();
  return key === '' ? undefined : key;
}
