// biome-ignore-all lint/suspicious/noEmptyInterface: they are filled by declaration merging, which types cannot be.

/**
 * Names that a config may give, with the options that go with each: what editors complete and the compiler checks in
 * `defineConfig()`. The SDK fills them for its own parts, and a plugin adds its own:
 *
 * ```ts
 * declare module 'rllm-sdk' {
 *   interface EstimatorOptionsMap {
 *     gdpo: OptionsGiven<GdpoOptions>;
 *   }
 * }
 * ```
 *
 * They say nothing at run time, and a name that stands in none of them is allowed.
 */

/** Options of advantage estimators, as `algorithm.estimatorOptions` gives them. */
export interface EstimatorOptionsMap {}

/** Options of grouping hooks, as `transform.groupingOptions` gives them. */
export interface GroupingHookOptionsMap {}

/** Options of backends, as `backend.options` gives them. */
export interface BackendOptionsMap {}

/** Options of workflows. */
export interface WorkflowOptionsMap {}

/** Options of reward functions. */
export interface RewardOptionsMap {}

/** Options of dataset sources. */
export interface DatasetOptionsMap {}

/** Options of plugins, by the name of their package. */
export interface PluginOptionsMap {}

/** Names of trackers, each with `true`. */
export interface TrackerNames {}

/** The options of what takes none. */
export type NoOptions = Readonly<Record<string, never>>;

/** Options as a config may give them: what has a default may be left out, at any depth. */
export type OptionsGiven<Options> = Options extends readonly unknown[]
  ? Options
  : Options extends object
    ? string extends keyof Options
      ? Options
      : { readonly [Name in keyof Options]?: OptionsGiven<Options[Name]> | undefined }
    : Options;

/** Any name; editors complete those of the map. */
export type NameOf<Names> = Extract<keyof Names, string> | (string & {});

/** Options by name: those of a known name are checked, those of another may be any. */
export type OptionsByName<Names> = { readonly [Name in keyof Names]?: Names[Name] | undefined } & {
  readonly [name: string]: object | undefined;
};

/** Options of what a name stands for; any, where no map knows the name. */
export type OptionsOf<Name, Names> = Name extends keyof Names
  ? Names[Name]
  : Readonly<Record<string, unknown>>;
