import type { CommandContext, CommandDefinition } from 'rllm-sdk';
import { tinkerOptionsSchema } from '../backend/index.js';
import { type CheckResult, checkEngine } from './check-engine.js';

const OPTIONS = [
  { flags: '--url <url>', summary: 'address of the engine, instead of baseUrl' },
  { flags: '--engine <name>', summary: 'auto, hosted, tx or tx-0.3' },
  { flags: '--model <name>', summary: 'base model' },
  { flags: '--tokenizer <folder>', summary: "the model's folder" },
] as const;

/** `rllm tinker check`: whether a run on the engine of the config would start, and what to do where not. */
export const tinkerCheck: CommandDefinition = {
  name: 'tinker check',
  summary: 'Checks URL, key, model, token ids and log-probs of the Tinker engine that the config names.',
  options: OPTIONS,
  run: async (context) => {
    const results: CheckResult[] = [];
    await runChecks(context, (result) => {
      results.push(result);
      if (!context.json) for (const line of linesOf(result, context)) context.print(line);
    });
    const isFine = results.every(({ status }) => status === 'passed');
    if (context.json) context.print(JSON.stringify({ ok: isFine, checks: results }));
    return isFine ? 0 : 1;
  },
};

async function runChecks(context: CommandContext, done: (result: CheckResult) => void): Promise<void> {
  const { config, options, baseDirectory, logger, signal } = context;
  const { url, engine, model, tokenizer } = options;
  const given = { baseUrl: url, engine, model, tokenizer };
  const overrides = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  const parsed = tinkerOptionsSchema.safeParse({ ...config.backend.options['tinker'], ...overrides });
  if (!parsed.success) {
    const faults = parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
    done({
      name: 'options',
      status: 'failed',
      detail: `backend.options.tinker: ${faults.join('; ')}`,
      fix: 'Correct the config, or give the option on the command line.',
    });
    return;
  }
  await checkEngine({ options: parsed.data, config, baseDirectory, logger, signal }, done);
}

function linesOf({ name, status, detail, fix }: CheckResult, { paint }: CommandContext): readonly string[] {
  if (status === 'not tried') return [paint('dim', `- ${name}: ${detail}`)];
  const line =
    status === 'passed'
      ? `${paint('green', '✓')} ${name}: ${detail}`
      : `${paint('red', '✗')} ${name}: ${detail}`;
  return fix === undefined ? [line] : [line, `  ${fix}`];
}
