import { configJsonSchema, jsonSchemaOf, type KnownPart, type KnownParts } from '../../config/index.js';
import type { RegistryEntry } from '../../registry.js';
import type { StandardSchema } from '../../standard-schema.js';
import type { ConfigOptions } from '../options.js';
import { readConfig } from '../read-config.js';

/** `rllm config schema`: the JSON Schema of a config file, for editors; on request with the options of what the config's plugins bring. */
export async function printSchema(
  options: ConfigOptions & { readonly withPlugins?: boolean },
): Promise<number> {
  const schema = configJsonSchema(options.withPlugins === true ? await knownParts(options) : {});
  process.stdout.write(`${JSON.stringify(schema, null, 2)}\n`);
  return 0;
}

/** Everything that the config's plugins and the SDK bring, by name, with the options that say what they are. */
async function knownParts(options: ConfigOptions): Promise<KnownParts> {
  const loaded = await readConfig(options, false);
  const { withApp } = await import('../with-app.js');
  return withApp(loaded, { run: null, validateOnly: true }, (app) => ({
    estimators: app.estimators.list(),
    groupingHooks: app.groupingHooks.entries().map(declared),
    backends: app.backends.list().map(registered),
    workflows: app.workflows.list().map(registered),
    rewards: app.rewards.entries().map(declared),
    datasets: app.datasets.list().map(registered),
    trackers: app.trackers.list().map(({ name }) => ({ name })),
    plugins: app.plugins.map(({ spec, definition }) => ({
      name: spec,
      options: jsonSchemaOf(definition.options),
    })),
  }));
}

/** A part whose schema stands in what its decorator was given. */
function declared(
  entry: RegistryEntry<{ readonly options: { readonly options?: StandardSchema } }>,
): KnownPart {
  return { name: entry.name, options: jsonSchemaOf(entry.value.options.options) };
}

/** A part that is an object with a schema. */
function registered(entry: RegistryEntry<{ readonly options?: StandardSchema }>): KnownPart {
  return { name: entry.name, options: jsonSchemaOf(entry.value.options) };
}
