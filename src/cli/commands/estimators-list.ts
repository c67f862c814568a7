import type { ConfigOptions } from '../options.js';
import { readConfig } from '../read-config.js';
import { optionLines } from '../render/option-lines.js';
import { tableLines } from '../render/table-lines.js';
import { openScreen } from '../screen.js';
import { withApp } from '../with-app.js';

/** `rllm estimators list`: every name that `algorithm.estimator` may have, with its formula, who brings it, its paper and options. */
export async function listEstimators(options: ConfigOptions): Promise<number> {
  const loaded = await readConfig(options, false);
  const estimators = await withApp(loaded, { run: null, validateOnly: true }, (app) => app.estimators.list());
  if (options.json === true) {
    process.stdout.write(`${JSON.stringify(estimators)}\n`);
    return 0;
  }
  const screen = openScreen(process.stdout, process.env, options);
  const rows = estimators.map(({ name, summary, owner, paper }) => [name, owner, summary, paper ?? '']);
  for (const line of tableLines(['NAME', 'FROM', 'FORMULA', 'PAPER'], rows, screen.paint)) {
    screen.write(`${line}\n`);
  }
  const taken = optionLines(estimators, screen.paint);
  if (taken.length > 0) screen.write('\n');
  for (const line of taken) screen.write(`${line}\n`);
  return 0;
}
