export { whyWrongVersion } from './check-version.js';
export type { CommandContext, CommandDefinition, CommandOption } from './command.js';
export { OWN_WORDS } from './command-name.js';
export { definePlugin } from './define-plugin.js';
export { HOOK_POINTS, pointsOf } from './hook-points.js';
export {
  type InlinePlugin,
  type LoadPluginsOptions,
  type LoadPluginsResult,
  loadPlugins,
} from './load-plugins.js';
export { contentsOf, type LoadedPlugin, NO_CONTENTS, type PluginContents } from './loaded-plugin.js';
export {
  type BindOptions,
  PLUGIN_API_VERSION,
  type PluginContext,
  type PluginDefinition,
  type PluginToken,
} from './plugin.js';
export { type PluginFault, type PluginPlace, pluginFault } from './plugin-fault.js';
export { pluginProblems, type ShapeProblem } from './plugin-shape.js';
