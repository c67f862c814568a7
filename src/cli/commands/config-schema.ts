import { configJsonSchema } from '../../config/index.js';
import type { Json } from '../../types/index.js';
import type { ConfigOptions } from '../options.js';
import { readConfig } from '../read-config.js';

/** `rllm config schema`: the JSON Schema of a config file, for editors; on request with the options of what the config's plugins bring. */
export async function printSchema(
  options: ConfigOptions & { readonly withPlugins?: boolean },
): Promise<number> {
  const schema = configJsonSchema(options.withPlugins === true ? await estimatorOptions(options) : {});
  process.stdout.write(`${JSON.stringify(schema, null, 2)}\n`);
  return 0;
}

async function estimatorOptions(options: ConfigOptions): Promise<Readonly<Record<string, Json>>> {
  const loaded = await readConfig(options, false);
  const { withApp } = await import('../with-app.js');
  const estimators = await withApp(loaded, { run: null }, (app) => app.estimators.list());
  return Object.fromEntries(
    estimators.flatMap((estimator) =>
      estimator.options === undefined ? [] : [[estimator.name, estimator.options]],
    ),
  );
}
