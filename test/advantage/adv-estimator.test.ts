import { describe, expect, test } from 'vitest';
import {
  type AdvantageBatch,
  type AdvantageEstimates,
  AdvEstimator,
  EstimatorRegistry,
} from '../../src/advantage/index.js';
import { type Declaration, declarationsOf, programDeclarations } from '../../src/declarations.js';
import { StandardClass, StandardMethods } from '../fixtures/decorators/static-methods.tc39.js';
import { algorithm, group } from './support.js';

type Estimate = (batch: AdvantageBatch) => AdvantageEstimates;

const batch: AdvantageBatch = {
  role: 'solver',
  rewards: [Float64Array.of(1, 2)],
  groups: [group([1, 2])],
  algorithm: algorithm(),
  options: {},
};

function doubled(_target: unknown, _key: string, descriptor: TypedPropertyDescriptor<Estimate>): void {
  const inner = descriptor.value as Estimate;
  descriptor.value = function (this: unknown, given) {
    const { advantages } = inner.call(this, given);
    return {
      advantages: (advantages as readonly ArrayLike<number>[]).map((own) => Array.from(own, (a) => 2 * a)),
    };
  };
}

@AdvEstimator('legacy_class', { summary: 'a class', paper: 'https://example.org' })
class LegacyClass {
  estimate({ rewards }: AdvantageBatch): AdvantageEstimates {
    return { advantages: rewards.map((own) => Array.from(own, () => 1)) };
  }
}

// biome-ignore lint/complexity/noStaticOnlyClass: static methods are what is tested.
class LegacyMethods {
  static factor = 10;

  @doubled
  @AdvEstimator('legacy_static')
  static scaled(given: AdvantageBatch): AdvantageEstimates {
    return { advantages: given.rewards.map((own) => Array.from(own, (r) => r * LegacyMethods.factor)) };
  }
}

const plain = AdvEstimator('plain_function')(({ rewards }) => ({
  advantages: rewards.map((own) => Array.from(own)),
}));

class PlainClass {
  readonly estimate: Estimate = ({ rewards }) => ({ advantages: rewards.map((own) => Array.from(own)) });
}
AdvEstimator('plain_class')(PlainClass);

function declared(name: string): Declaration {
  const found = programDeclarations().find((one) => one.kind === 'estimator' && one.name === name);
  if (found === undefined) throw new Error(`nothing declared "${name}"`);
  return found;
}

function estimated(name: string): unknown {
  const registry = new EstimatorRegistry();
  registry.add(declared(name), 'program');
  return registry.get(name).estimate(batch).advantages;
}

describe('one decorator for every kind of code', () => {
  test.each([
    { how: 'a class under legacy decorators', name: 'legacy_class', form: 'class', expected: [[1, 1]] },
    { how: 'a class under TC39 decorators', name: 'tc39_class', form: 'class', expected: [[1, 1]] },
    { how: 'a class by a plain call', name: 'plain_class', form: 'class', expected: [[1, 2]] },
    { how: 'a function by a plain call', name: 'plain_function', form: 'function', expected: [[1, 2]] },
    {
      how: 'a static method under legacy decorators',
      name: 'legacy_static',
      form: 'function',
      expected: [[20, 40]],
    },
    {
      how: 'a static method under TC39 decorators',
      name: 'tc39_static',
      form: 'function',
      expected: [[20, 40]],
    },
  ])('$how is declared and estimates', ({ name, form, expected }) => {
    expect(declared(name)).toMatchObject({ kind: 'estimator', form, override: false });
    expect(estimated(name)).toEqual(expected);
  });

  test('a static method is bound late: an outer decorator and `this` hold, also after a change of the class', () => {
    StandardMethods.factor = 100;
    LegacyMethods.factor = 100;
    try {
      expect(estimated('tc39_static')).toEqual([[200, 400]]);
      expect(estimated('legacy_static')).toEqual([[200, 400]]);
    } finally {
      StandardMethods.factor = 10;
      LegacyMethods.factor = 10;
    }
  });

  test('a plain call gives the function back, and marks it', () => {
    expect(plain(batch).advantages).toEqual([[1, 2]]);
    expect(declarationsOf(plain)).toHaveLength(1);
  });

  test('a class carries its declaration, a subclass does not', () => {
    class Sub extends LegacyClass {}
    expect(declarationsOf(LegacyClass).map(({ name }) => name)).toEqual(['legacy_class']);
    expect(declarationsOf(StandardClass).map(({ name }) => name)).toEqual(['tc39_class']);
    expect(declarationsOf(Sub)).toEqual([]);
  });

  test('what it says of itself is in the descriptor', () => {
    const registry = new EstimatorRegistry();
    registry.add(declared('tc39_class'), 'a plugin');
    expect(registry.list()).toEqual([
      {
        name: 'tc39_class',
        summary: 'a class',
        owner: 'a plugin',
        scope: 'batch',
        requires: ['lengths'],
        perToken: false,
      },
    ]);
  });
});

describe('misuse', () => {
  const addInitializer = (): void => undefined;

  /** As JavaScript calls it, where no types stand in the way. */
  const untyped = (name: string): ((...args: unknown[]) => unknown) =>
    AdvEstimator(name) as (...args: unknown[]) => unknown;

  test.each([
    { what: 'an object', args: [{ estimate: () => undefined }] },
    { what: 'null', args: [null] },
    { what: 'a legacy instance method', args: [{}, 'estimate', { value: () => undefined }] },
    { what: 'a legacy static field', args: [class {}, 'estimate', undefined] },
    {
      what: 'a TC39 instance method',
      args: [() => undefined, { kind: 'method', name: 'estimate', static: false, addInitializer }],
    },
    {
      what: 'a TC39 field',
      args: [undefined, { kind: 'field', name: 'x', static: true, addInitializer }],
    },
  ])('$what is refused with the name of the estimator', ({ args }) => {
    expect(() => untyped('mine')(...args)).toThrow(
      expect.objectContaining({
        code: 'DECORATOR_MISUSED',
        message: expect.stringContaining('@AdvEstimator("mine")'),
      }),
    );
  });

  test.each(['', '  '])('the name %j is refused', (name) => {
    expect(() => AdvEstimator(name)).toThrow(expect.objectContaining({ code: 'DECORATOR_MISUSED' }));
  });

  test.each<[unknown, string]>([
    [{ sumary: 'r' }, 'sumary is nothing that it takes. Did you mean "summary"?'],
    [{ scope: 'batches' }, 'scope is "batches". Known: batch, group.'],
    [{ requires: 'lengths' }, 'requires must be a list, got "lengths".'],
    [{ requires: ['lenghts'] }, 'requires has one that is "lenghts". Did you mean "lengths"?'],
    [{ perToken: 'yes' }, 'perToken must be true or false, got "yes".'],
    [{ options: { scale: 2 } }, 'options must be a Standard Schema'],
    [() => ({ advantages: [] }), 'what it is given must be an object, got a function.'],
    [
      { summary: 1, check: 2 },
      'summary must be a text that is not empty, got 1. check must be a function, got 2.',
    ],
  ])('what it says of itself is refused at once when it cannot be meant: %j', (options, message) => {
    const declare = AdvEstimator as (...args: readonly unknown[]) => unknown;
    expect(() => declare('mine', options)).toThrow(
      expect.objectContaining({
        code: 'DECORATOR_MISUSED',
        message: expect.stringContaining(`@AdvEstimator("mine"): ${message}`),
      }),
    );
  });

  test('a class whose instances do not estimate is refused when it is constructed', () => {
    class Idle {}
    untyped('idle')(Idle);
    const registry = new EstimatorRegistry();
    registry.add(declared('idle'), 'program');
    expect(() => registry.get('idle')).toThrow(expect.objectContaining({ code: 'DECORATOR_MISUSED' }));
  });
});
