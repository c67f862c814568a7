import { type LoadedConfig, loadConfig } from '../config/index.js';
import type { ConfigOptions } from './options.js';

/**
 * The configuration that the options name, from the current folder. Its faults stay in it: an app reports them together
 * with those of plugins and names.
 *
 * @param required  false where the defaults do when there is no config file.
 * @throws RllmError CONFIG_NOT_FOUND, CONFIG_IS_CODE, CONFIG_UNREADABLE
 */
export function readConfig(options: ConfigOptions, required: boolean = true): Promise<LoadedConfig> {
  return loadConfig({
    cwd: process.cwd(),
    file: options.config,
    set: options.set,
    dataOnly: options.configDataOnly,
    required,
    onFault: 'collect',
    ...(options.plugins ? {} : { overrides: { plugins: [] } }),
  });
}
