import { nearPath } from '../invocation.js';
import type { ConfigOptions } from '../options.js';
import { readConfig } from '../read-config.js';
import { withApp } from '../with-app.js';

/** `rllm config validate`: loads the configuration and its plugins and checks every name and option, without starting anything. */
export async function validateConfig(options: ConfigOptions): Promise<number> {
  const loaded = await readConfig(options);
  await withApp(loaded, { run: null, complete: true }, () => undefined);
  if (options.json === true) {
    process.stdout.write(`${JSON.stringify({ valid: true, file: loaded.file })}\n`);
  } else {
    const what = loaded.file === null ? 'The default configuration' : nearPath(loaded.file, process.cwd());
    process.stdout.write(`${what} is valid.\n`);
  }
  return 0;
}
