import { RllmError } from '../../errors.js';
import { type DryRunReport, RunFolder } from '../../trainer/index.js';
import { assertWritable } from '../assert-writable.js';
import { cliLogger } from '../cli-logger.js';
import { readConfig } from '../read-config.js';
import { headlineOf, joined, rewardText } from '../render/headline.js';
import { startLines } from '../render/start-lines.js';
import { trajectoryLines } from '../render/trajectory-lines.js';
import { humanOutput, openScreen } from '../screen.js';
import { startText } from '../start-text.js';
import { withApp } from '../with-app.js';
import { writeEvent } from '../write-event.js';
import type { TrainOptions } from './train.js';

/** `rllm train --dry-run`: everything is resolved, loaded and built; one rollout goes through all stages but the update. */
export async function trainDryRun(options: TrainOptions): Promise<number> {
  const screen = openScreen(humanOutput(options), process.env, options);
  const note = (line: string): void => screen.write(`${line}\n`);
  const logger = cliLogger(note, options, screen.paint);
  const loaded = await readConfig(options);
  const report = await withApp(loaded, { logger, run: null, complete: true }, async (app) => {
    const { directory } = await RunFolder.create({
      config: app.config,
      configRecord: null,
      runDir: options.runDir,
      baseDirectory: loaded.directory,
    });
    await assertWritable(directory);
    for (const line of startLines(startText(app), screen.paint)) note(line);
    return (await app.trainer()).dryRun();
  });
  if (options.json === true) writeEvent({ event: 'dryRun', ...report });
  note('');
  for (const view of report.trajectories) for (const line of trajectoryLines(view, screen.paint)) note(line);
  if (report.explanation !== null) note(screen.paint('yellow', `warning  ${report.explanation}`));
  const failure = failureOf(report);
  if (failure !== undefined) throw failure;
  const headline = rewardText(headlineOf(report.metrics));
  note(joined(['dry run: all is in order', headline, `${report.totalSteps} steps planned`]));
  return 0;
}

/** A rollout that failed is a value in a training, but the very thing a dry run is to find. */
function failureOf({ taskId, episode }: DryRunReport): RllmError | undefined {
  const { error } = episode.info;
  if (typeof error !== 'object' || error === null || !('message' in error)) return undefined;
  return new RllmError(
    'WORKFLOW_FAILED',
    `The workflow failed on task "${taskId}": ${String(error.message)}`,
  );
}
