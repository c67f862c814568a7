import { type LoadedConfig, type RllmConfig, redact } from '../config/index.js';
import type { Json } from '../types/index.js';

/**
 * What `config.json` of a run holds: the resolved configuration with its secrets hidden, the source of each value, and the
 * file and folder that relative paths are meant from.
 */
export function configRecord(config: RllmConfig, loaded: LoadedConfig): Json {
  const { file, directory, sources } = loaded;
  // Through text, which drops the absent fields of sources.
  return JSON.parse(JSON.stringify({ file, directory, config: redact(config, loaded), sources })) as Json;
}
