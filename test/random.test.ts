import { describe, expect, test } from 'vitest';
import { shuffled, stream } from '../src/random.js';

const take = (n: number, random = stream(0, 'x')): number[] => Array.from({ length: n }, () => random.next());

describe('a random stream', () => {
  test('is decided by its seed and path alone', () => {
    expect(take(5, stream(7, 'sample', 'task', 3))).toEqual(take(5, stream(7, 'sample', 'task', 3)));
  });

  test('shares nothing with the stream of another seed, name or index', () => {
    const streams = [
      stream(0, 'shuffle', 1),
      stream(1, 'shuffle', 0),
      stream(0, 'shuffle', 0),
      stream(0, 'sample', 1),
      stream(0, 'shuffle', '1'),
      stream(0, 'shuffle', 1, 0),
    ];
    const firsts = streams.map((s) => take(4, s).join());
    expect(new Set(firsts).size).toBe(streams.length);
  });

  test('tells paths apart that would join to the same text', () => {
    expect(take(3, stream(0, 'a:b', 'c'))).not.toEqual(take(3, stream(0, 'a', 'b:c')));
  });

  test('is uniform: 64 cells of 64,000 draws give a chi-square below the 1e-6 tail of 63 degrees of freedom', () => {
    const cells = new Array<number>(64).fill(0);
    const random = stream(3, 'uniform');
    for (let i = 0; i < 64_000; i++) {
      const cell = random.int(64);
      cells[cell] = (cells[cell] ?? 0) + 1;
    }
    const chiSquare = cells.reduce((sum, count) => sum + (count - 1000) ** 2 / 1000, 0);
    expect(chiSquare).toBeLessThan(131);
  });

  test('gives normal numbers with mean 0 and variance 1, to five standard errors', () => {
    const random = stream(5, 'normal');
    const n = 40_000;
    let sum = 0;
    let squares = 0;
    for (let i = 0; i < n; i++) {
      const x = random.normal();
      sum += x;
      squares += x * x;
    }
    expect(Math.abs(sum / n)).toBeLessThan(5 / Math.sqrt(n));
    expect(Math.abs(squares / n - 1)).toBeLessThan(5 * Math.sqrt(2 / n));
  });
});

describe('shuffling', () => {
  test('permutes a copy', () => {
    const items = [1, 2, 3, 4, 5, 6, 7, 8];
    const out = shuffled(items, stream(1, 'shuffle', 0));
    expect(items).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    expect([...out].sort()).toEqual(items);
    expect(out).not.toEqual(items);
  });

  test('of epoch 1 under seed 0 is not that of epoch 0 under seed 1', () => {
    const items = Array.from({ length: 32 }, (_, i) => i);
    expect(shuffled(items, stream(0, 'shuffle', 1))).not.toEqual(shuffled(items, stream(1, 'shuffle', 0)));
  });
});
