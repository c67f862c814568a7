import { describe, expect, test } from 'vitest';
import {
  type AdvantageBatch,
  type AdvantageEstimates,
  type AdvantageEstimator,
  AdvEstimator,
  EstimatorRegistry,
} from '../../src/advantage/index.js';
import { type Declaration, declarationsOf } from '../../src/declarations.js';
import type { Json } from '../../src/types/index.js';
import { algorithm, builtInRegistry, group } from './support.js';

const nothing = (): AdvantageEstimates => ({ advantages: [] });

function declarationOf(target: unknown): Declaration {
  const [declaration] = declarationsOf(target);
  if (declaration === undefined) throw new Error('the target is not declared');
  return declaration;
}

/** Advantage = reward − the mean of all rewards seen in earlier batches. */
@AdvEstimator('running_mean', { scope: 'batch' })
class RunningMean implements AdvantageEstimator {
  #seen = 0;
  #sum = 0;

  estimate({ rewards }: AdvantageBatch): AdvantageEstimates {
    const mean = this.#seen === 0 ? 0 : this.#sum / this.#seen;
    for (const own of rewards) {
      for (const reward of own) this.#sum += reward;
      this.#seen += own.length;
    }
    return { advantages: rewards.map((own) => Array.from(own, (reward) => reward - mean)) };
  }

  stateDict(): Json {
    return { seen: this.#seen, sum: this.#sum };
  }

  loadStateDict(state: Json): void {
    const { seen, sum } = state as { seen: number; sum: number };
    this.#seen = seen;
    this.#sum = sum;
  }
}

const batch = (rewards: readonly number[]): AdvantageBatch => ({
  role: 'solver',
  rewards: [Float64Array.from(rewards)],
  groups: [group(rewards)],
  algorithm: algorithm(),
  options: {},
});

describe('names', () => {
  test('the five built-in estimators are there, with formula and paper', () => {
    const list = builtInRegistry().list();
    expect(list.map(({ name, scope }) => [name, scope])).toEqual([
      ['grpo', 'group'],
      ['prpo', 'batch'],
      ['reinforce', 'group'],
      ['reinforce_plus_plus_baseline', 'batch'],
      ['rloo', 'group'],
    ]);
    for (const { summary, paper, owner } of list) {
      expect(summary).not.toBe('');
      expect(paper).toMatch(/^https:/);
      expect(owner).toBe('built-in');
    }
  });

  test('an unknown name is an error that holds it, the nearest and all known ones', () => {
    const message =
      /"gropo".*Did you mean "grpo"\?.*grpo, prpo, reinforce, reinforce_plus_plus_baseline, rloo/;
    expect(() => builtInRegistry().get('gropo')).toThrow(
      expect.objectContaining({ code: 'UNKNOWN_NAME', message: expect.stringMatching(message) }),
    );
  });

  test.each(['constructor', '__proto__', 'toString', ''])('%j is no known name', (name) => {
    expect(builtInRegistry().has(name)).toBe(false);
    expect(() => builtInRegistry().get(name)).toThrow(expect.objectContaining({ code: 'UNKNOWN_NAME' }));
  });

  test('any other text is a name', () => {
    const registry = builtInRegistry();
    registry.addFunction('__proto__', nothing, 'program');
    expect(registry.get('__proto__').estimate(batch([1]))).toEqual({ advantages: [] });
  });

  test('two owners of one name are both named', () => {
    const registry = builtInRegistry();
    expect(() => registry.addFunction('grpo', nothing, 'plugin rllm-plugin-x')).toThrow(
      expect.objectContaining({
        code: 'DUPLICATE_NAME',
        message: expect.stringMatching(/"grpo".*built-in.*plugin rllm-plugin-x/),
      }),
    );
  });

  test('the same target twice is no fault, whoever brings it', () => {
    const registry = new EstimatorRegistry();
    registry.addFunction('mine', nothing, 'a');
    registry.addFunction('mine', nothing, 'b');
    expect(registry.list().map(({ owner }) => owner)).toEqual(['a']);
  });

  test('a declaration that overrides takes the place of a built-in', () => {
    const mine = AdvEstimator('grpo', { override: true, summary: 'mine' })(() => ({ advantages: [] }));
    const registry = builtInRegistry();
    registry.add(declarationOf(mine), 'plugin');
    expect(registry.list().find(({ name }) => name === 'grpo')).toMatchObject({
      summary: 'mine',
      owner: 'plugin',
    });
  });

  test('override replaces, also an estimator that was already in use', () => {
    const registry = builtInRegistry();
    registry.get('grpo');
    registry.override('grpo', nothing, 'test');
    expect(registry.get('grpo').estimate(batch([1]))).toEqual({ advantages: [] });
  });

  test('a declaration of another kind is refused', () => {
    const declaration = { ...declarationOf(RunningMean), kind: 'groupingHook' as const };
    expect(() => new EstimatorRegistry().add(declaration, 'x')).toThrow(
      expect.objectContaining({ code: 'DECORATOR_MISUSED' }),
    );
  });
});

test('a frozen registry takes nothing more, and still gives', () => {
  const registry = builtInRegistry();
  registry.freeze();
  for (const change of [
    () => registry.addFunction('late', nothing, 'x'),
    () => registry.override('grpo', nothing, 'x'),
    () => registry.add(declarationOf(RunningMean), 'x'),
  ]) {
    expect(change).toThrow(expect.objectContaining({ code: 'REGISTRY_FROZEN' }));
  }
  expect(registry.get('grpo').estimate(batch([2, 2])).advantages).toEqual([Float64Array.of(0, 0)]);
});

describe('classes', () => {
  test('are constructed when first asked for, once per registry, by the function given', () => {
    const constructed: unknown[] = [];
    const registry = new EstimatorRegistry({
      construct: (cls) => {
        constructed.push(cls);
        return new RunningMean();
      },
    });
    registry.add(declarationOf(RunningMean), 'program');
    registry.list();
    expect(constructed).toEqual([]);
    expect(registry.get('running_mean')).toBe(registry.get('running_mean'));
    expect(constructed).toEqual([RunningMean]);
  });

  test('two registries share no state', () => {
    const [one, other] = [new EstimatorRegistry(), new EstimatorRegistry()];
    for (const registry of [one, other]) registry.add(declarationOf(RunningMean), 'program');
    one.get('running_mean').estimate(batch([4, 4]));
    expect(other.get('running_mean').estimate(batch([1])).advantages).toEqual([[1]]);
  });

  test('a constructor that throws is named, and its error is the cause', () => {
    const cause = new Error('no key');
    class Broken implements AdvantageEstimator {
      readonly ready: boolean;
      constructor() {
        this.ready = false;
        throw cause;
      }
      estimate(): AdvantageEstimates {
        return { advantages: [] };
      }
    }
    const registry = new EstimatorRegistry();
    registry.override('broken', Broken, 'plugin x');
    expect(() => registry.get('broken')).toThrow(
      expect.objectContaining({
        code: 'ESTIMATOR_THREW',
        cause,
        message: expect.stringMatching(/"broken".*plugin x/),
      }),
    );
  });

  test('describe also asks the instance', () => {
    class Told implements AdvantageEstimator {
      readonly scope = 'batch';
      readonly requires = new Set(['lengths'] as const);
      estimate(): AdvantageEstimates {
        return { advantages: [] };
      }
    }
    const registry = new EstimatorRegistry();
    registry.override('told', Told, 'x');
    expect(registry.describe('told')).toMatchObject({ scope: 'batch', requires: ['lengths'] });
  });
});

describe('state', () => {
  const filled = (): EstimatorRegistry => {
    const registry = builtInRegistry();
    registry.add(declarationOf(RunningMean), 'program');
    return registry;
  };

  test('after a round trip through JSON the next batch gets the same advantages', () => {
    const before = filled();
    before.get('running_mean').estimate(batch([1, 2, 6]));
    const saved = JSON.parse(JSON.stringify(before.stateDict())) as Json;
    const after = filled();
    after.loadStateDict(saved);
    const next = batch([5, 7]);
    expect(after.get('running_mean').estimate(next)).toEqual(before.get('running_mean').estimate(next));
    expect(saved).toEqual({ running_mean: { seen: 3, sum: 9 } });
  });

  test('an estimator that was not used, or keeps nothing, has no entry', () => {
    const registry = filled();
    registry.get('grpo');
    expect(registry.stateDict()).toEqual({});
  });

  test.each([{ gone: 1 }, { grpo: 1 }, [], null, 'x'])('the state %j is refused', (state) => {
    expect(() => filled().loadStateDict(state)).toThrow(
      expect.objectContaining({ code: 'CHECKPOINT_INVALID' }),
    );
  });
});
