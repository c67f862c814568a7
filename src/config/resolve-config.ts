import { configFromCode } from './load-config.js';
import type { RllmConfig } from './types.js';

/** The configuration that an object means, with all defaults; frozen. @throws RllmError CONFIG_INVALID with all faults. */
export function resolveConfig(input: unknown): RllmConfig {
  return configFromCode(input).config;
}

/** What an empty config file means. */
export const DEFAULT_CONFIG: RllmConfig = resolveConfig({});
