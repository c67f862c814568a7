import fs from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';

const WRITES = ['mkdir', 'open', 'rename', 'rm', 'writeFile'] as const;
const HANDLE_WRITES = ['appendFile', 'sync', 'truncate'] as const;

export interface Crash {
  /** Settles when the crash has happened. */
  readonly happened: Promise<void>;
  /** Writing operations seen so far. */
  readonly count: number;
  /** Gives files back. */
  restore(): void;
}

/**
 * From the `at`-th writing file operation on, every one hangs for ever, as if the process had been killed before it.
 *
 * A real kill can only happen between two operations, or within one that is not atomic; those tear files, see `torn`.
 *
 * @param at    0-based; infinity only counts.
 * @param torn  the operation at which it crashes writes half of its data first, if it writes data.
 */
export async function crashAt(at: number, torn: boolean): Promise<Crash> {
  let count = 0;
  let crashed: (() => void) | undefined;
  const happened = new Promise<void>((resolve) => {
    crashed = resolve;
  });
  const gate = async (tear: () => Promise<void>, release?: () => Promise<void>): Promise<void> => {
    if (count++ < at) return;
    if (count === at + 1 && torn) await tear();
    await release?.();
    crashed?.();
    await new Promise(() => undefined);
  };
  const promises: Record<string, unknown> = Object(fs.promises);
  const prototype = await handlePrototype();
  const originals = new Map<string, unknown>();
  for (const name of WRITES) {
    const original = promises[name];
    if (typeof original !== 'function') throw new Error(`fs.promises.${name} is no function`);
    originals.set(name, original);
    promises[name] = async (...args: unknown[]) => {
      const [target, data, ...rest] = args;
      await gate(async () => {
        if (name === 'writeFile') await original(target, half(data), ...rest);
      });
      return original(...args);
    };
  }
  const handleOriginals = new Map<string, unknown>();
  for (const name of HANDLE_WRITES) {
    const original = prototype[name];
    if (typeof original !== 'function') throw new Error(`FileHandle.${name} is no function`);
    handleOriginals.set(name, original);
    prototype[name] = async function (this: FileHandle, ...args: unknown[]) {
      await gate(
        async () => {
          if (name === 'appendFile') await original.call(this, half(args[0]));
        },
        // A killed process holds no files.
        () => this.close(),
      );
      return original.apply(this, args);
    };
  }
  syncBuiltinESMExports();
  return {
    happened,
    get count() {
      return count;
    },
    restore() {
      for (const [name, original] of originals) promises[name] = original;
      for (const [name, original] of handleOriginals) prototype[name] = original;
      syncBuiltinESMExports();
    },
  };
}

async function handlePrototype(): Promise<Record<string, unknown>> {
  const handle = await open(process.execPath, 'r');
  const prototype: unknown = Object.getPrototypeOf(handle);
  await handle.close();
  return prototype as Record<string, unknown>;
}

function half(data: unknown): string | Uint8Array {
  if (typeof data === 'string') return data.slice(0, data.length >> 1);
  if (data instanceof Uint8Array) return data.subarray(0, data.length >> 1);
  return '';
}
