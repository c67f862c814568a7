/**
 * Independent pseudo-random streams addressed by name, so that no stream depends on the order in which others are read.
 *
 * A stream is sfc32 seeded by a 128-bit hash (four FNV-1a variants, then mixed) of the seed and the path. The same seed and
 * path give the same numbers on every machine; `stream(0, 'shuffle', 1)` and `stream(1, 'shuffle', 0)` share nothing.
 */
export interface Random {
  /** Uniform in [0, 1), 32 bits. */
  next(): number;
  /** Uniform integer in [0, n). */
  int(n: number): number;
  /** Standard normal, by Box–Muller. */
  normal(): number;
}

export function stream(seed: number, ...path: readonly (string | number)[]): Random {
  const key = JSON.stringify([seed, ...path]);
  let a = hash(key, 0x811c9dc5);
  let b = hash(key, 0x9e3779b9);
  let c = hash(key, 0x85ebca6b);
  let d = hash(key, 0xc2b2ae35);
  const next = (): number => {
    const t = (((a + b) | 0) + d) | 0;
    d = (d + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (c << 21) | (c >>> 11);
    c = (c + t) | 0;
    return (t >>> 0) / 4294967296;
  };
  for (let i = 0; i < 12; i++) next();
  return {
    next,
    int: (n) => Math.floor(next() * n),
    normal: () => Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next()),
  };
}

/** A shuffled copy, Fisher–Yates. */
export function shuffled<T>(items: readonly T[], random: Random): T[] {
  const out = [...items];
  for (let i = out.length - 1; i > 0; i--) {
    const j = random.int(i + 1);
    const swap = out[i] as T;
    out[i] = out[j] as T;
    out[j] = swap;
  }
  return out;
}

/** A 32-bit hash of text, murmur3's finaliser over FNV-1a. */
function hash(text: string, basis: number): number {
  let h = basis;
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193);
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return h ^ (h >>> 16);
}
