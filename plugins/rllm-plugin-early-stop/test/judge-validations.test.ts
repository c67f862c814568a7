import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { judgeValidations } from '../src/index.js';

const RULES = {
  metric: 'val/x/pass@1',
  mode: 'max',
  patience: 2,
  minDelta: 0,
  warmupSteps: 0,
  target: null,
} as const;

/** Validations at steps 0, 10, 20, … */
const at = (values: readonly number[]) => values.map((value, i) => ({ step: 10 * i, value }));

describe('patience', () => {
  test.each([
    { what: 'no validation', values: [], best: undefined, waited: 0, stops: false },
    { what: 'the first is the best', values: [0.5], best: 0, waited: 0, stops: false },
    { what: 'one without improvement', values: [0.5, 0.4], best: 0, waited: 1, stops: false },
    { what: 'two without improvement', values: [0.5, 0.4, 0.5], best: 0, waited: 2, stops: true },
    { what: 'an improvement starts over', values: [0.5, 0.4, 0.6, 0.6], best: 20, waited: 1, stops: false },
    { what: 'an equal value is no improvement', values: [0.5, 0.5], best: 0, waited: 1, stops: false },
  ])('$what', ({ values, best, waited, stops }) => {
    const verdict = judgeValidations(at(values), RULES);
    expect(verdict.best?.step).toBe(best);
    expect(verdict.waited).toBe(waited);
    expect(verdict.stop !== undefined).toBe(stops);
  });

  test('less is better with mode min', () => {
    const { best, stop } = judgeValidations(at([3, 2, 2.5, 2]), { ...RULES, mode: 'min' });
    expect(best).toEqual({ step: 10, value: 2 });
    expect(stop).toBe('val/x/pass@1 was 2 at step 10 and has not improved in 2 validations');
  });

  test('small rises are an improvement once they exceed minDelta together, and the best follows each', () => {
    const rules = { ...RULES, minDelta: 0.25, patience: 3 };
    expect(judgeValidations(at([0, 0.25, 0.5]), rules)).toMatchObject({ waited: 0, best: { step: 20 } });
    const verdict = judgeValidations(at([0, 0.125, 0.25, 0.1875]), rules);
    expect(verdict).toMatchObject({ waited: 3, best: { step: 20 } });
    expect(verdict.stop).toContain('not improved by more than 0.25 in 3 validations');
  });

  test('the warm-up counts for the best and not against the patience', () => {
    const rules = { ...RULES, warmupSteps: 30 };
    const falling = [0.9, 0.8, 0.7, 0.6, 0.5];
    expect(judgeValidations(at(falling.slice(0, 3)), rules)).toMatchObject({ waited: 0, stop: undefined });
    expect(judgeValidations(at(falling), rules)).toMatchObject({ waited: 2, best: { step: 0 } });
  });

  test('null waits for ever', () => {
    const { stop } = judgeValidations(at([1, 0, 0, 0, 0, 0, 0]), { ...RULES, patience: null });
    expect(stop).toBeUndefined();
  });
});

test.each([
  { mode: 'max', target: 0.75, values: [0.5, 0.75], stops: true },
  { mode: 'max', target: 0.75, values: [0.5, 0.7], stops: false },
  { mode: 'min', target: 0.25, values: [0.5, 0.25], stops: true },
  { mode: 'min', target: 0.25, values: [0.5, 0.3], stops: false },
] as const)(
  'a target of $target with mode $mode: $values stops: $stops',
  ({ mode, target, values, stops }) => {
    const { stop } = judgeValidations(at(values), { ...RULES, mode, target });
    expect(stop?.includes('reaches its target')).toBe(stops ? true : undefined);
  },
);

test('the best is the first of the greatest, and waiting never exceeds what came after the first', () => {
  const values = fc.array(fc.integer({ min: -8, max: 8 }), { minLength: 1, maxLength: 12 });
  fc.assert(
    fc.property(values, fc.constantFrom('max', 'min'), (list, mode) => {
      const { best, waited } = judgeValidations(at(list), { ...RULES, mode });
      const value = mode === 'max' ? Math.max(...list) : Math.min(...list);
      expect(best).toEqual({ step: 10 * list.indexOf(value), value });
      expect(waited).toBe(list.length - 1 - list.indexOf(value));
    }),
  );
});
