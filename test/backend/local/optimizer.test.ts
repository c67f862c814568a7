import { expect, test } from 'vitest';
import { learningRateAt } from '../../../src/backend/learning-rate.js';
import { adamStep } from '../../../src/backend/local/adam.js';

const SETTINGS = {
  learningRate: 0.1,
  beta1: 0.9,
  beta2: 0.95,
  eps: 1e-8,
  weightDecay: 0,
  maxGradNorm: null,
  step: 1,
};

function state(...weights: number[]) {
  const floats = (values: readonly number[]): Float32Array => Float32Array.from(values);
  return {
    weights: floats(weights),
    firstMoment: floats(weights.map(() => 0)),
    secondMoment: floats(weights.map(() => 0)),
  };
}

test('the first step of Adam moves each weight by the learning rate against the sign of its gradient', () => {
  const model = state(1, -1, 2);
  expect(adamStep(model, Float32Array.of(3, -4, 0), SETTINGS)).toBe(5);
  expect([...model.weights].map((value) => Math.fround(value))).toEqual([0.9, -0.9, 2].map(Math.fround));
});

test('two steps by hand', () => {
  const model = state(0);
  adamStep(model, Float32Array.of(1), SETTINGS);
  adamStep(model, Float32Array.of(-2), { ...SETTINGS, step: 2 });
  const m = 0.9 * 0.1 - 0.1 * 2;
  const v = 0.95 * 0.05 + 0.05 * 4;
  const expected = -0.1 - (0.1 * (m / (1 - 0.81))) / Math.sqrt(v / (1 - 0.9025));
  expect(model.weights[0]).toBeCloseTo(expected, 6);
});

test('a gradient longer than the bound is scaled to it, a shorter one is left', () => {
  const clipped = state(0, 0);
  expect(adamStep(clipped, Float32Array.of(30, 40), { ...SETTINGS, maxGradNorm: 1 })).toBe(50);
  expect(clipped.firstMoment[0]).toBeCloseTo(0.1 * 0.6, 7);
  const free = state(0, 0);
  adamStep(free, Float32Array.of(0.3, 0.4), { ...SETTINGS, maxGradNorm: 1 });
  expect(free.firstMoment[0]).toBeCloseTo(0.1 * 0.3, 7);
});

test('weights from an offset on may have a learning rate of their own, and share the bound of the gradient', () => {
  const model = state(0, 0, 2);
  const settings = { ...SETTINGS, maxGradNorm: 1, weightDecay: 0.5, tail: { offset: 2, learningRate: 0.2 } };
  expect(adamStep(model, Float32Array.of(3, 0, 4), settings)).toBe(5);
  expect(model.weights[0]).toBeCloseTo(-0.1, 6);
  expect(model.weights[1]).toBe(0);
  expect(model.weights[2]).toBeCloseTo(2 * (1 - 0.2 * 0.5) - 0.2, 6);
  expect(model.firstMoment[2]).toBeCloseTo(0.1 * 0.8, 7);
});

test('weight decay shrinks weights apart from the gradient', () => {
  const model = state(2);
  adamStep(model, Float32Array.of(0), { ...SETTINGS, weightDecay: 0.5 });
  expect(model.weights[0]).toBeCloseTo(2 * (1 - 0.1 * 0.5), 6);
});

test('a gradient that is not finite changes nothing', () => {
  const model = state(1, 2);
  expect(adamStep(model, Float32Array.of(1, Number.NaN), SETTINGS)).toBeNaN();
  expect([...model.weights, ...model.firstMoment, ...model.secondMoment]).toEqual([1, 2, 0, 0, 0, 0]);
});

test.each([
  ['constant', 0, [1, 5, 10], [2, 2, 2]],
  ['constant', 0.4, [1, 2, 3, 4, 5, 10], [0.5, 1, 1.5, 2, 2, 2]],
  ['linear', 0, [1, 5, 9, 10], [1.8, 1, 0.2, 0]],
  ['linear', 0.2, [1, 2, 6, 10], [1, 2, 1, 0]],
  ['cosine', 0, [5, 10], [1, 0]],
  ['cosine', 0.2, [1, 2, 4, 6, 12], [1, 2, 1 + Math.SQRT1_2, 1, 0]],
] as const)(
  'learning rate by hand: %s with a warm-up of %f of ten steps',
  (schedule, warmupStepsRatio, steps, expected) => {
    const rates = steps.map((step) =>
      learningRateAt(step, { peak: 2, schedule, warmupStepsRatio, totalSteps: 10 }),
    );
    for (const [i, rate] of rates.entries()) expect(rate).toBeCloseTo(expected[i] as number, 12);
  },
);
