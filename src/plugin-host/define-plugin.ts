import { RllmError } from '../errors.js';
import { PLUGIN_API_VERSION, type PluginDefinition } from './plugin.js';
import { pluginProblems } from './plugin-shape.js';

/**
 * A plugin, checked: `export default definePlugin({ name: 'rllm-plugin-x', apiVersion: 1, estimators: [X] })`.
 *
 * It returns the object it is given. A definition for another API version passes; the app refuses it by name.
 *
 * @throws RllmError PLUGIN_INVALID with every problem of the definition.
 */
export function definePlugin<Options = unknown>(
  definition: PluginDefinition<Options>,
): PluginDefinition<Options> {
  if (typeof definition?.apiVersion === 'number' && definition.apiVersion !== PLUGIN_API_VERSION)
    return definition;
  const problems = pluginProblems(definition);
  if (problems.length > 0) {
    const lines = problems.map(({ at, message }) => `${at.slice(1) || 'the definition'} ${message}`);
    throw new RllmError('PLUGIN_INVALID', `${titleOf(definition)} is not valid: ${lines.join('; ')}`, {
      details: { problems },
    });
  }
  return definition;
}

function titleOf(definition: unknown): string {
  const name = (definition as { readonly name?: unknown } | null | undefined)?.name;
  return typeof name === 'string' && name !== '' ? `Plugin "${name}"` : 'A plugin without a name';
}
