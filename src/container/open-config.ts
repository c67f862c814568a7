import { configFromCode, type LoadedConfig, type RllmConfigInput } from '../config/index.js';

/** A config with its faults beside it: an app reports them together with those of plugins and names. */
export function openConfig(
  input: RllmConfigInput | LoadedConfig,
  directory: string | undefined,
): LoadedConfig {
  if (isLoaded(input)) return input;
  return configFromCode(input, { onFault: 'collect', ...(directory === undefined ? {} : { directory }) });
}

function isLoaded(input: RllmConfigInput | LoadedConfig): input is LoadedConfig {
  return typeof input === 'object' && input !== null && 'sources' in input && 'config' in input;
}
