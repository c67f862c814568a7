import { type LoadedConfig, sourceOf } from '../../config/index.js';
import type { App } from '../../container/index.js';
import { RllmError } from '../../errors.js';
import type { RunSummary, TrainerEvent } from '../../trainer/index.js';
import { cliLogger } from '../cli-logger.js';
import { commandLine } from '../command-line.js';
import { commandText, nearPath } from '../invocation.js';
import { openView } from '../open-view.js';
import type { ConfigOptions } from '../options.js';
import type { Paint } from '../paint.js';
import { readConfig } from '../read-config.js';
import { RewardHistory } from '../render/reward-history.js';
import { FIELD_WIDTH, startLines } from '../render/start-lines.js';
import { summaryLines } from '../render/summary-lines.js';
import { fieldLines } from '../render/table-lines.js';
import { reportFailure } from '../report-failure.js';
import { loadRunConfig } from '../run-config.js';
import { humanOutput, openScreen, type Screen } from '../screen.js';
import { startText } from '../start-text.js';
import { listenForStop, type StopSignals } from '../stop-signals.js';
import { onUnhandled } from '../unhandled.js';
import type { RunView } from '../views/run-view.js';
import { withApp } from '../with-app.js';
import { writeEvent } from '../write-event.js';

export interface TrainOptions extends ConfigOptions {
  readonly runDir?: string;
  readonly resume?: string;
  readonly allowPluginChange?: boolean;
  readonly dryRun?: boolean;
}

/** How a run is shown and stopped. */
interface Session {
  readonly options: TrainOptions;
  readonly screen: Screen;
  readonly view: RunView;
  readonly stop: StopSignals;
}

/** How long a run still has for its step once something was thrown where nobody waits for it. */
const LATEST_MS = 5 * 60_000;

/** `rllm train`: a new run, or the rest of one. */
export async function train(options: TrainOptions): Promise<number> {
  if (options.allowPluginChange === true && options.resume === undefined) {
    throw new RllmError('USAGE', '--allow-plugin-change is for a run that is gone on with: --resume DIR.');
  }
  if (options.dryRun === true) return (await import('./train-dry-run.js')).trainDryRun(options);
  const loaded = await configOf(options);
  const screen = openScreen(humanOutput(options), process.env, options);
  const view = openView(screen, options, loaded.config.trainer.stopWhen !== null);
  const stop = listenForStop(() =>
    view.note('Stopping after this step. A second signal stops at once, without saving.'),
  );
  let unhandled: RllmError | undefined;
  let latest: NodeJS.Timeout | undefined;
  const release = onUnhandled((error) => {
    if (unhandled !== undefined) return;
    unhandled = error;
    view.note(`${error.message}. Stopping after this step, in ${LATEST_MS / 60_000} minutes at the latest.`);
    stop.stop();
    // The rollout that it was thrown in may wait for ever.
    latest = setTimeout(() => process.exit(reportFailure(error, options)), LATEST_MS);
  });
  const run = {
    directory: options.runDir,
    resume: options.resume,
    allowPluginChange: options.allowPluginChange,
    command: commandLine(process.argv.slice(2), options.set),
  };
  const logger = cliLogger((line) => view.note(line), options, screen.paint);
  // The view shows what the console tracker would; that one speaks only where somebody asked for it.
  const isAskedFor = sourceOf(loaded, 'tracking.trackers').from !== 'default';
  const print = (line: string): void => (isAskedFor ? logger.info(line) : undefined);
  try {
    const exitCode = await withApp(loaded, { logger, print, run, complete: true }, (app) =>
      follow(app, { options, screen, view, stop }),
    );
    return unhandled === undefined ? exitCode : reportFailure(unhandled, options);
  } finally {
    clearTimeout(latest);
    release();
    view.close();
    stop.dispose();
  }
}

function configOf(options: TrainOptions): Promise<LoadedConfig> {
  return options.resume === undefined ? readConfig(options) : loadRunConfig(options.resume, options);
}

/** Shows a run from its first event to its last. Returns the exit code. */
async function follow(app: App, { options, screen, view, stop }: Session): Promise<number> {
  const note = (lines: readonly string[]): void => {
    for (const line of lines) view.note(line);
  };
  if (options.quiet !== true) note(startLines(startText(app), screen.paint));
  const trainer = await app.trainer();
  if (stop.signal.aborted) {
    const message = 'Stopped before the first step; nothing was written.';
    view.note(message);
    if (options.json === true) writeEvent({ event: 'error', code: 'ABORTED', message });
    return stop.exitCode();
  }
  const history = new RewardHistory();
  let hasStarted = false;
  let summary: RunSummary | undefined;
  let failure: { readonly thrown: unknown } | undefined;
  try {
    for await (const event of trainer.events({ signal: stop.signal })) {
      if (options.json === true) writeEvent(event);
      if (event.event === 'start') {
        hasStarted = true;
        if (options.quiet !== true) note(runLines(event, screen.paint));
      }
      if (event.event === 'step') history.add(event.step, event.metrics);
      if (event.event === 'end') summary = event.summary;
      view.show(event);
    }
  } catch (thrown) {
    failure = { thrown };
  }
  view.close();
  if (summary === undefined) throw failure?.thrown;
  if (screen.interactive && options.quiet !== true) {
    note(history.lines({ columns: screen.columns(), unicode: screen.unicode }));
  }
  // A run that was refused has no folder to point at.
  if (hasStarted) note(['', ...summaryLines(summaryText(app, summary), screen.paint)]);
  // Programs have the error from the `end` event.
  if (failure !== undefined) return reportFailure(failure.thrown, { ...options, json: false });
  return summary.status === 'interrupted' ? stop.exitCode() : 0;
}

/** Where the run is written, below what runs. */
function runLines(start: Extract<TrainerEvent, { event: 'start' }>, paint: Paint): readonly string[] {
  const folder = nearPath(start.runDirectory, process.cwd());
  const from = start.resumedFrom > 0 ? `, from step ${start.resumedFrom}` : '';
  return fieldLines([['run'.padEnd(FIELD_WIDTH), `${folder}${from}`]], paint);
}

function summaryText(app: App, summary: RunSummary): Parameters<typeof summaryLines>[0] {
  const folder = nearPath(summary.runDirectory, process.cwd());
  const hasValidation = app.config.data.val !== null;
  const evaluate = hasValidation ? commandText('eval', '--run', folder) : '';
  const resume = commandText('train', '--resume', folder);
  if (summary.checkpoint === null) return { summary, folder, next: '' };
  return { summary, folder, next: summary.status === 'completed' ? evaluate : resume };
}
