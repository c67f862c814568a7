import { type FileHandle, mkdir, open, readdir } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { type EventContent, encodeEvent } from './encode-event.js';
import { frameRecord } from './frame-record.js';

/**
 * A new event file in a folder. Every event is in the file when `append` is done, so that TensorBoard shows it at once.
 *
 * TensorBoard reads the files of a folder by name, one after another: a new one gets a name after all that are there.
 */
export class EventFile {
  /** Whether the folder had event files before. */
  readonly isLater: boolean;
  readonly #file: FileHandle;

  private constructor(file: FileHandle, isLater: boolean) {
    this.#file = file;
    this.isLater = isLater;
  }

  /** @param folder  made if need be. */
  static async create(folder: string): Promise<EventFile> {
    await mkdir(folder, { recursive: true });
    const latest = (await readdir(folder)).map(secondsOf).reduce((a, b) => Math.max(a, b), 0);
    const seconds = Math.max(Math.floor(Date.now() / 1000), latest + 1);
    const name = `${PREFIX}${String(seconds).padStart(10, '0')}.${hostname()}.${process.pid}`;
    const file = new EventFile(await open(join(folder, name), 'ax'), latest > 0);
    await file.append(0, { kind: 'version' });
    return file;
  }

  async append(step: number, content: EventContent): Promise<void> {
    await this.#file.appendFile(frameRecord(encodeEvent(Date.now(), step, content)));
  }

  async close(): Promise<void> {
    await this.#file.close();
  }
}

const PREFIX = 'events.out.tfevents.';

function secondsOf(name: string): number {
  return name.startsWith(PREFIX) ? Number.parseInt(name.slice(PREFIX.length), 10) || 0 : 0;
}
