export { definePlugin } from './define-plugin.js';
export {
  type InlinePlugin,
  type LoadPluginsOptions,
  type LoadPluginsResult,
  loadPlugins,
} from './load-plugins.js';
export { contentsOf, type LoadedPlugin, type PluginContents } from './loaded-plugin.js';
export { PLUGIN_API_VERSION, type PluginContext, type PluginDefinition } from './plugin.js';
export { type PluginFault, type PluginPlace, pluginFault } from './plugin-fault.js';
export { pluginProblems, type ShapeProblem } from './plugin-shape.js';
