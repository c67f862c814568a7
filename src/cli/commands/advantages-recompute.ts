import { type FileHandle, open } from 'node:fs/promises';
import {
  advantageChanges,
  dependsOnEarlier,
  largestChanges,
  parseColumn,
  type RecomputedTrajectory,
  recomputeAdvantages,
} from '../../compare/index.js';
import { GROUPING_HOOK } from '../../container/index.js';
import { messageOf, RllmError } from '../../errors.js';
import { RunFolder, readEpisodes } from '../../trainer/index.js';
import { nearPath } from '../invocation.js';
import type { ConfigOptions } from '../options.js';
import { noteLines } from '../render/compare-advantages.js';
import { changeLines } from '../render/compare-changes.js';
import { loadRunConfig } from '../run-config.js';
import { missingSteps, stepsUpTo } from '../saved-steps.js';
import { openScreen } from '../screen.js';
import { withApp } from '../with-app.js';

export interface RecomputeOptions extends Omit<ConfigOptions, 'config'> {
  readonly estimator: string;
  readonly step?: number;
  readonly out?: string;
}

/** Trajectories that are listed one by one. */
const LISTED = 10;

/**
 * `rllm advantages recompute`: the saved episodes of a run through another estimator. Changes nothing of the run; with `--out`,
 * writes a line of JSON for each trajectory.
 */
export async function recompute(options: RecomputeOptions, [run = '']: readonly string[]): Promise<number> {
  const { estimator, step, out } = options;
  const column = parseColumn(estimator);
  const loaded = await loadRunConfig(run, options);
  const { directory } = await RunFolder.resume(run);
  const seen = new Set<number>();
  const { trajectories, notes } = await withApp(loaded, { run: null, validateOnly: true }, async (app) => {
    const groupingHook = app.resolve(GROUPING_HOOK);
    const setting = { config: app.config, groupingHook, registry: app.estimators, step };
    const isReplay = dependsOnEarlier([column.name], setting);
    // Says which steps there are, before any is replayed.
    const alone = readEpisodes(directory, 'train', step);
    if (isReplay) await alone.next();
    const file = out === undefined ? undefined : await openOut(out);
    const kept: RecomputedTrajectory[] = [];
    try {
      const steps = recomputeAdvantages(
        isReplay ? stepsUpTo(directory, step ?? Number.POSITIVE_INFINITY, seen) : alone,
        column,
        setting,
      );
      for await (const batch of steps) {
        await file?.write(batch.map((one) => `${JSON.stringify(one)}\n`).join(''));
        // Tokens are for the file: a long run's would fill the memory.
        kept.push(...batch.map(({ newTokens: _tokens, ...one }) => one));
      }
    } finally {
      await file?.close();
    }
    return { trajectories: kept, notes: isReplay ? missingSteps(seen) : [] };
  });
  const steps = advantageChanges(trajectories);
  const largest = largestChanges(trajectories, LISTED);
  if (options.json === true) {
    process.stdout.write(
      `${JSON.stringify({ run: directory, estimator, notes, steps, largestChanges: largest })}\n`,
    );
    return 0;
  }
  const screen = openScreen(process.stdout, process.env, options);
  const style = { columns: screen.columns(), paint: screen.paint };
  screen.write(`${nearPath(directory, process.cwd())}: its own advantages, and those of ${estimator}\n\n`);
  const lines = [...changeLines(steps, largest, style), ...noteLines(notes, style.paint)];
  for (const line of lines) screen.write(`${line}\n`);
  if (out !== undefined) screen.write(`\n${trajectories.length} trajectories written to ${out}\n`);
  return 0;
}

async function openOut(path: string): Promise<FileHandle> {
  try {
    return await open(path, 'w');
  } catch (cause) {
    throw new RllmError('USAGE', `--out ${path} cannot be written: ${messageOf(cause)}`, { cause });
  }
}
