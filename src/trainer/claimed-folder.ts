import { mkdir, rmdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { messageOf, RllmError } from '../errors.js';
import { removeWhole } from './durable-files.js';
import { lockRun } from './run-lock.js';

/** A folder that this process alone writes, until it gives it back. */
export class ClaimedFolder {
  readonly directory: string;
  /** The topmost folder that was made for it; undefined when it was there before. */
  readonly #made: string | undefined;
  readonly #unlock: () => Promise<void>;

  private constructor(directory: string, made: string | undefined, unlock: () => Promise<void>) {
    this.directory = directory;
    this.#made = made;
    this.#unlock = unlock;
  }

  /**
   * Makes the folder if need be, and takes it.
   *
   * @param check  what must hold of the folder once nobody else can change it; when it throws, all is as it was.
   * @throws RllmError RUN_DIR_INVALID when another process holds it, or it cannot be written.
   */
  static async claim(directory: string, check: () => Promise<void>): Promise<ClaimedFolder> {
    const folder = await ClaimedFolder.#take(directory);
    try {
      await check();
    } catch (thrown) {
      await folder.undo();
      throw thrown;
    }
    return folder;
  }

  static async #take(directory: string): Promise<ClaimedFolder> {
    try {
      const made = await mkdir(directory, { recursive: true });
      return new ClaimedFolder(directory, made, await lockRun(directory));
    } catch (cause) {
      if (RllmError.isInstance(cause)) throw cause;
      throw new RllmError('RUN_DIR_INVALID', `${directory} cannot be written: ${messageOf(cause)}.`, {
        cause,
      });
    }
  }

  /** Lets others take it. */
  async release(): Promise<void> {
    await this.#unlock();
  }

  /** As if it had not been claimed: what was made is removed, with all that lies in it. A folder that was there stays. */
  async undo(): Promise<void> {
    // Before others can take it.
    if (this.#made !== undefined) await removeWhole(this.directory);
    await this.#unlock();
    if (this.#made === undefined) return;
    for (let at = this.directory; at !== this.#made; ) {
      at = dirname(at);
      // Another run may have come to lie beside it meanwhile; then the folder above stays.
      if (
        !(await rmdir(at).then(
          () => true,
          () => false,
        ))
      )
        return;
    }
  }
}
