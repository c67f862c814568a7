import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { jsonText } from '../json-text.js';
import type { Episode } from '../types/index.js';
import { writeWhole } from './durable-files.js';

export type EpisodeMode = 'train' | 'val';

/**
 * Writes each episode, tokens and all, to `{folder}/{mode}/step-000012/000003-{task}-{rollout}.json`.
 *
 * The number is the episode's place in its batch, so no two episodes share a file; training and validation have folders of
 * their own, so neither overwrites the other.
 *
 * @param folder  the run's `episodes` folder, made if need be.
 */
export async function writeEpisodes(
  folder: string,
  at: { readonly mode: EpisodeMode; readonly step: number; readonly epoch: number },
  episodes: readonly Episode[],
): Promise<void> {
  const directory = join(folder, at.mode, stepFolder(at.step));
  await mkdir(directory, { recursive: true });
  for (const [index, episode] of episodes.entries()) {
    const place = String(index).padStart(6, '0');
    const name = `${place}-${fileName(episode.taskId)}-${episode.rolloutIndex}.json`;
    await writeWhole(join(directory, name), `${jsonText({ ...at, ...episode }, 2)}\n`);
  }
}

/** Removes the episodes of steps beyond `step`, and of the validation at `step` itself unless `keepsValidation`. */
export async function removeEpisodesAfter(
  folder: string,
  step: number,
  keepsValidation: boolean,
): Promise<void> {
  const lastKept = { train: step, val: keepsValidation ? step : step - 1 };
  for (const mode of ['train', 'val'] as const) {
    const names = await readdir(join(folder, mode)).catch(() => []);
    for (const name of names) {
      if (Number(/^step-(\d+)$/.exec(name)?.[1]) > lastKept[mode]) {
        await rm(join(folder, mode, name), { recursive: true, force: true });
      }
    }
  }
}

function stepFolder(step: number): string {
  return `step-${String(step).padStart(6, '0')}`;
}

/** A task id as part of a file's name; the id itself is in the file. */
function fileName(taskId: string): string {
  return taskId.replace(/[^A-Za-z0-9._-]/g, '_').slice(0, 80);
}
