import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf, RllmError } from '../errors.js';
import { checkStep, type Episode } from '../types/index.js';
import type { EpisodeMode } from './episode-files.js';

/** The rollouts that a run saved of one step, in the order of the batch. */
export interface SavedStep {
  readonly step: number;
  readonly episodes: readonly Episode[];
}

/**
 * Reads what `tracking.logEpisodes` has left in a run's folder, one step at a time, earliest first.
 *
 * @param step  this one alone, or the last.
 * @throws RllmError EPISODES_MISSING when there are none, or a file is not an episode's.
 */
export async function* readEpisodes(
  runDirectory: string,
  mode: EpisodeMode,
  step?: number | 'last',
): AsyncGenerator<SavedStep, void, undefined> {
  const folder = join(runDirectory, 'episodes', mode);
  const steps = await savedSteps(folder);
  if (steps.length === 0) {
    throw new RllmError('EPISODES_MISSING', `${folder} has no episodes.`);
  }
  const wanted =
    step === undefined
      ? steps
      : step === 'last'
        ? steps.slice(-1)
        : steps.filter((saved) => saved.number === step);
  if (wanted.length === 0) {
    const known = steps.map(({ number }) => number);
    throw new RllmError(
      'EPISODES_MISSING',
      `${folder} has no episodes of step ${step}; it has those of steps ${known[0]} to ${known.at(-1)}.`,
    );
  }
  for (const { number, name } of wanted) {
    const files = (await readdir(join(folder, name))).filter((file) => /^\d+-.*\.json$/.test(file)).sort();
    const episodes: Episode[] = [];
    for (const file of files) episodes.push(await readEpisode(join(folder, name, file)));
    yield { step: number, episodes };
  }
}

async function savedSteps(folder: string): Promise<readonly { number: number; name: string }[]> {
  const names = await readdir(folder).catch(() => []);
  return names
    .flatMap((name) => {
      const number = /^step-(\d+)$/.exec(name)?.[1];
      return number === undefined ? [] : [{ number: Number(number), name }];
    })
    .sort((a, b) => a.number - b.number);
}

async function readEpisode(path: string): Promise<Episode> {
  try {
    const episode = JSON.parse(await readFile(path, 'utf8')) as Episode;
    if (typeof episode.taskId !== 'string' || !Number.isInteger(episode.rolloutIndex)) {
      throw new TypeError('it has no taskId and rolloutIndex');
    }
    for (const { steps } of episode.trajectories) for (const step of steps) checkStep(step, step.id);
    return episode;
  } catch (cause) {
    throw new RllmError('EPISODES_MISSING', `${path} is no saved episode: ${messageOf(cause)}.`, { cause });
  }
}
