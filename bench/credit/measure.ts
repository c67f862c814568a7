import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const gc = runInNewContext('gc') as () => void;

/** Frees what nothing holds. */
export function collectGarbage(): void {
  gc();
  gc();
}

/** Bytes that are held in this process, typed arrays included. */
export function heldBytes(): number {
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

/** What a piece of work takes, in seconds. */
export interface Seconds {
  /** Of the CPU: all threads, those of the garbage collector as well. */
  readonly cpu: number;
  /** By the clock on the wall. */
  readonly wall: number;
}

export function secondsOf(run: () => void): Seconds {
  const before = process.cpuUsage();
  const started = performance.now();
  run();
  const wall = (performance.now() - started) / 1e3;
  const { user, system } = process.cpuUsage(before);
  return { cpu: (user + system) / 1e6, wall };
}

/** Each at its best. */
export function leastOf(a: Seconds, b: Seconds): Seconds {
  return { cpu: Math.min(a.cpu, b.cpu), wall: Math.min(a.wall, b.wall) };
}
