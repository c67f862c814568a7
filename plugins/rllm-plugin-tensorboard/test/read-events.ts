import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { pythonVenv } from '../../../test/python-venv.js';

export interface ScalarPoint {
  readonly step: number;
  readonly value: number;
  /** Seconds since 1970. */
  readonly time: number;
}

/** What TensorBoard finds in a folder. */
export interface ReadEvents {
  readonly scalars: Readonly<Record<string, readonly ScalarPoint[]>>;
  readonly texts: Readonly<Record<string, readonly { readonly step: number; readonly text: string }[]>>;
}

const SCRIPT = fileURLToPath(new URL('read-events.py', import.meta.url));

/** Reads event files by TensorBoard's own EventAccumulator. */
export async function readEvents(folder: string): Promise<ReadEvents> {
  const python = await pythonVenv('tensorboard');
  const { stdout } = await promisify(execFile)(python, [SCRIPT, folder], { maxBuffer: 2 ** 26 });
  return JSON.parse(stdout) as ReadEvents;
}

/** `[step, value]` of one tag. */
export function points({ scalars }: ReadEvents, tag: string): readonly (readonly [number, number])[] {
  return (scalars[tag] ?? []).map(({ step, value }) => [step, value]);
}
