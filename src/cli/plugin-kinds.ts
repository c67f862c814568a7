/** What `rllm plugins create` knows to write; `templates/` has a folder for each. */
export const PLUGIN_KINDS = [
  'estimator',
  'grouping-hook',
  'reward',
  'workflow',
  'tracker',
  'hooks',
  'backend',
] as const;

export type PluginKind = (typeof PLUGIN_KINDS)[number];
