const awaited = new Map<symbol, string>();

/**
 * Waits for code that is not ours, and is known to wait for it until it has settled.
 *
 * @param part  its name with an article: `the import of plugin "./mine.ts"`.
 */
export async function awaiting<T>(part: string, run: () => T | Promise<T>): Promise<T> {
  const key = Symbol(part);
  awaited.set(key, part);
  try {
    return await run();
  } finally {
    awaited.delete(key);
  }
}

/** What is being waited for in this process, the latest last. */
export function awaitedParts(): readonly string[] {
  return [...awaited.values()];
}
