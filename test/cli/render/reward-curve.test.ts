import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { rewardCurve } from '../../../src/cli/render/reward-curve.js';

const line = (count: number, value: (i: number) => number) =>
  Array.from({ length: count }, (_, i) => ({ step: i + 1, value: value(i) }));

test('a straight rise goes from the corner to the top, axes labelled', () => {
  const curve = rewardCurve(
    line(14, (i) => i / 13),
    { title: 'mean reward', columns: 21, unicode: false },
  );
  expect(curve).toEqual([
    '      mean reward',
    '1.00 +            **',
    '     |          **',
    '     |        **',
    '0.50 +      **',
    '     |    **',
    '     |  **',
    '0.00 +**',
    '     +--------------',
    '      step 1      14',
  ]);
});

test('a jump is one vertical stroke', () => {
  const curve = rewardCurve(
    line(8, (i) => (i < 4 ? 0 : 1)),
    { title: 'r', columns: 15, unicode: false },
  );
  expect(curve.slice(1, 8)).toEqual([
    '1.00 +    ****',
    '     |    *',
    '     |    *',
    '0.50 +    *',
    '     |    *',
    '     |    *',
    '0.00 +****',
  ]);
});

test('braille holds two by four points in a character', () => {
  const curve = rewardCurve(
    line(16, (i) => i / 15),
    { title: 'r', columns: 15, unicode: true },
  );
  // Levels 0, 2, 4 at the foot and 25, 27 at the top, each joined to the one before.
  expect(curve[1]).toBe('1.00 ┤       ⡜');
  expect(curve[7]).toBe('0.00 ┤⡰⠁');
  expect(curve[8]).toBe('     └────────');
});

test('rewards outside [0, 1] are drawn on their own range', () => {
  const curve = rewardCurve(
    line(10, (i) => -2 + i),
    { title: 'r', columns: 40, unicode: false },
  );
  expect(curve[1]).toMatch(/^ 7\.00 \+/);
  expect(curve[7]).toMatch(/^-2\.00 \+/);
});

test('a constant reward outside [0, 1] lies in the middle', () => {
  const curve = rewardCurve(
    line(10, () => 5),
    { title: 'r', columns: 20, unicode: false },
  );
  expect(curve[4]).toBe('5.00 +*************');
});

test.each([0, 1])('%d points make no curve', (count) => {
  expect(
    rewardCurve(
      line(count, () => 1),
      { title: 'r', columns: 80, unicode: true },
    ),
  ).toEqual([]);
});

test('a terminal too narrow for eight characters of curve gets none', () => {
  expect(
    rewardCurve(
      line(9, () => 1),
      { title: 'r', columns: 14, unicode: true },
    ),
  ).toEqual([]);
});

describe('for all rewards and widths', () => {
  const rewards = fc.array(fc.double({ min: -1e6, max: 1e6, noNaN: true }), { minLength: 2, maxLength: 400 });

  test('no line is wider than asked, and every column of the curve has a point', () => {
    fc.assert(
      fc.property(rewards, fc.integer({ min: 20, max: 200 }), (values, columns) => {
        const curve = rewardCurve(
          values.map((value, i) => ({ step: i, value })),
          { title: 'r', columns, unicode: false },
        );
        if (curve.length === 0) return;
        expect(Math.max(...curve.map((text) => text.length))).toBeLessThanOrEqual(columns);
        const body = curve.slice(1, 8).map((text) => text.slice((curve[8] ?? '').indexOf('+') + 1));
        const width = Math.max(...body.map((text) => text.length));
        for (let x = 0; x < width; x++) expect(body.some((text) => text[x] === '*')).toBe(true);
      }),
    );
  });
});
