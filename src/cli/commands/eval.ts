import { RllmError } from '../../errors.js';
import { suggestion } from '../../nearest.js';
import { ownValue } from '../../own-value.js';
import { RunFolder } from '../../trainer/index.js';
import type { Metrics } from '../../types/index.js';
import { cliLogger } from '../cli-logger.js';
import { nearPath } from '../invocation.js';
import { openView } from '../open-view.js';
import type { ConfigOptions } from '../options.js';
import { readConfig } from '../read-config.js';
import { numberText } from '../render/number-text.js';
import { fieldLines } from '../render/table-lines.js';
import { reportFailure } from '../report-failure.js';
import { loadRunConfig } from '../run-config.js';
import { openScreen } from '../screen.js';
import { listenForStop } from '../stop-signals.js';
import { withApp } from '../with-app.js';

export interface EvalOptions extends ConfigOptions {
  readonly run?: string;
  readonly checkpoint?: string;
  readonly min?: readonly string[];
}

interface Threshold {
  readonly metric: string;
  readonly atLeast: number;
}

/** `rllm eval`: validates once and prints the metrics; trains and writes nothing. */
export async function evaluate(options: EvalOptions): Promise<number> {
  const thresholds = (options.min ?? []).map(readThreshold);
  const weights = options.run === undefined ? options.checkpoint : await checkpointOf(options.run);
  const loaded =
    options.run === undefined ? await readConfig(options) : await loadRunConfig(options.run, options);
  const human = openScreen(process.stderr, process.env, options);
  const view = openView(human, options, false);
  const logger = cliLogger((line) => view.note(line), options, human.paint);
  const stop = listenForStop(() => view.note('Stopping.'));
  const onRollout = (done: number, total: number): void =>
    view.show({ event: 'rollouts', mode: 'val', step: 0, done, total });
  try {
    const metrics = await withApp(
      loaded,
      { logger, run: null, complete: true, weights, validateOnly: true },
      async (app) => (await app.trainer()).validate({ signal: stop.signal, onRollout }),
    );
    view.close();
    const failure = failureOf(metrics, thresholds);
    show(metrics, weights, failure, options);
    // Programs have it beside the metrics.
    return failure === undefined ? 0 : reportFailure(failure, { ...options, json: false });
  } catch (thrown) {
    if (!stop.signal.aborted) throw thrown;
    return stop.exitCode();
  } finally {
    view.close();
    stop.dispose();
  }
}

/** The newest checkpoint of a run, or the one named. @throws RllmError RUN_DIR_INVALID, CHECKPOINT_INVALID */
async function checkpointOf(directory: string): Promise<string> {
  const { checkpoint } = await RunFolder.resume(directory);
  if (checkpoint !== null) return checkpoint.directory;
  throw new RllmError('CHECKPOINT_INVALID', `The run ${directory} has no complete checkpoint yet.`);
}

function show(
  metrics: Metrics,
  weights: string | undefined,
  failure: RllmError | undefined,
  options: EvalOptions,
): void {
  if (options.json === true) {
    const error = failure && { code: failure.code, message: failure.message, fix: failure.fix };
    process.stdout.write(`${JSON.stringify({ checkpoint: weights ?? null, metrics, error })}\n`);
    return;
  }
  const screen = openScreen(process.stdout, process.env, options);
  const what = weights === undefined ? 'the model as it starts' : nearPath(weights, process.cwd());
  screen.write(`validation of ${what}\n`);
  const fields = Object.entries(metrics).map(([name, value]) => [name, numberText(value)] as const);
  for (const line of fieldLines(fields, screen.paint)) screen.write(`${line}\n`);
}

/** @throws RllmError USAGE */
function readThreshold(text: string): Threshold {
  const at = text.lastIndexOf('=');
  const metric = text.slice(0, at);
  const value = text.slice(at + 1).trim();
  const atLeast = Number(value);
  if (at < 1 || value === '' || !Number.isFinite(atLeast)) {
    throw new RllmError(
      'USAGE',
      `--min takes METRIC=VALUE, for example val/unknown/pass@1=0.9; given "${text}".`,
    );
  }
  return { metric, atLeast };
}

/** USAGE for a metric that there is not, CHECK_FAILED with every metric that is too low. */
function failureOf(metrics: Metrics, thresholds: readonly Threshold[]): RllmError | undefined {
  const low: string[] = [];
  for (const { metric, atLeast } of thresholds) {
    const value = ownValue(metrics, metric);
    if (value === undefined) {
      const known = suggestion(metric, Object.keys(metrics));
      return new RllmError('USAGE', `The validation has no metric "${metric}". ${known}`);
    }
    if (value < atLeast) low.push(`${metric} is ${value}, at least ${atLeast} was asked for`);
  }
  return low.length === 0 ? undefined : new RllmError('CHECK_FAILED', `${low.join('; ')}.`);
}
