import type { BackendConfig, PluginReference, RllmConfig } from './types.js';

/** What may be left out: every section and field; records and lists are given whole. */
type Partly<T> = T extends readonly unknown[]
  ? T
  : T extends object
    ? string extends keyof T
      ? T
      : { readonly [K in keyof T]?: K extends 'stopWhen' ? T[K] | undefined : Partly<T[K]> | undefined }
    : T;

/** What a user writes: whatever is left out, or undefined, takes its default. */
export interface RllmConfigInput extends Partly<Omit<RllmConfig, 'plugins' | 'backend'>> {
  /** Where editors find the schema of this file. */
  readonly $schema?: string | undefined;
  /** A package name, a file relative to the config file, or either with options. */
  readonly plugins?:
    | readonly (string | (Pick<PluginReference, 'use'> & Partly<PluginReference>))[]
    | undefined;
  /** The name of a backend, or the name with options by backend. */
  readonly backend?: string | Partly<BackendConfig> | undefined;
}

/** Types a config file: `export default defineConfig({ … })`. Returns what it is given. */
export function defineConfig(input: RllmConfigInput): RllmConfigInput {
  return input;
}
