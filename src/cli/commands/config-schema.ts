import { configJsonSchema } from '../../config/index.js';

/** `rllm config schema`: the JSON Schema of a config file, for editors. */
export async function printSchema(): Promise<number> {
  process.stdout.write(`${JSON.stringify(configJsonSchema(), null, 2)}\n`);
  return 0;
}
