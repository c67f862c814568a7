import { describe, expect, test } from 'vitest';
import {
  type AdvantageBatch,
  type AdvantageEstimates,
  type AdvantageEstimator,
  AdvEstimator,
  type EstimatorClass,
  type EstimatorRegistry,
} from '../../src/advantage/index.js';
import type { RllmConfig } from '../../src/config/index.js';
import { CONFIG, createApp, ESTIMATORS, inject, injectable } from '../../src/container/index.js';
import { definePlugin } from '../../src/plugin-host/index.js';
import { errorOf } from './app-kit.js';

const estimate = (): AdvantageEstimates => ({ advantages: [] });

/** The estimator `name` of an app with nothing but these. */
async function built(name: string, ...estimators: readonly EstimatorClass[]): Promise<AdvantageEstimator> {
  const plugin = definePlugin({ name: 'p', apiVersion: 1, estimators });
  const app = await createApp({ trainer: { seed: 5 } }, { plugins: [plugin], useDeclared: false });
  return app.estimators.get(name);
}

@AdvEstimator('by-decorator')
class ByDecorator {
  readonly seed: number;
  readonly registry: EstimatorRegistry;
  constructor(@inject(CONFIG) config: RllmConfig, @inject(ESTIMATORS) registry: EstimatorRegistry) {
    this.seed = config.trainer.seed;
    this.registry = registry;
  }
  estimate(_: AdvantageBatch): AdvantageEstimates {
    return estimate();
  }
}

@AdvEstimator('injectable')
@injectable()
class AlsoInjectable {
  readonly seed: number;
  constructor(@inject(CONFIG) config: RllmConfig) {
    this.seed = config.trainer.seed;
  }
  estimate = estimate;
}

@AdvEstimator('by-list')
class ByList {
  static readonly inject = [CONFIG, ESTIMATORS] as const;
  readonly seed: number;
  readonly registry: EstimatorRegistry;
  constructor(config: RllmConfig, registry: EstimatorRegistry) {
    this.seed = config.trainer.seed;
    this.registry = registry;
  }
  estimate = estimate;
}

@AdvEstimator('plain')
class Plain {
  readonly seed: number;
  constructor(seed = 3) {
    this.seed = seed;
  }
  estimate = estimate;
}

@AdvEstimator('half')
class Half {
  readonly parts: readonly unknown[];
  constructor(@inject(CONFIG) config: RllmConfig, other: unknown) {
    this.parts = [config, other];
  }
  estimate = estimate;
}

@AdvEstimator('needs-nothing-known')
class NeedsUnknown {
  static readonly inject = [Symbol.for('test/unbound')] as const;
  readonly part: unknown;
  constructor(part: unknown) {
    this.part = part;
  }
  estimate = estimate;
}

@AdvEstimator('throws')
class Throws {
  constructor() {
    throw new RangeError('no good');
  }
  estimate = estimate;
}

describe('an estimator class is built', () => {
  test.each([
    { how: '@inject on each parameter', name: 'by-decorator', target: ByDecorator, seed: 5 },
    { how: '@inject and @injectable', name: 'injectable', target: AlsoInjectable, seed: 5 },
    { how: 'a static list of tokens', name: 'by-list', target: ByList, seed: 5 },
    { how: 'no argument', name: 'plain', target: Plain, seed: 3 },
  ])('with $how', async ({ name, target, seed }) => {
    const estimator = await built(name, target);
    expect(estimator).toBeInstanceOf(target);
    expect(estimator).toMatchObject({ seed });
  });

  test('with the registry of its own app, once', async () => {
    const plugin = definePlugin({ name: 'p', apiVersion: 1, estimators: [ByDecorator, ByList] });
    const apps = await Promise.all(
      [1, 2].map(() => createApp({}, { plugins: [plugin], useDeclared: false })),
    );
    for (const { estimators } of apps) {
      for (const name of ['by-decorator', 'by-list']) {
        expect(estimators.get(name)).toHaveProperty('registry', estimators);
        expect(estimators.get(name)).toBe(estimators.get(name));
      }
    }
  });
});

describe('an estimator class cannot be built', () => {
  test.each([
    { why: 'a parameter has no token', name: 'half', target: Half, says: 'class Half takes 2 arguments' },
    {
      why: 'nothing binds its token',
      name: 'needs-nothing-known',
      target: NeedsUnknown,
      says: 'test/unbound',
    },
    { why: 'its constructor throws', name: 'throws', target: Throws, says: 'no good' },
  ])('when $why: that is known at start if the config names it', async ({ name, target, says }) => {
    const plugin = definePlugin({ name: 'p', apiVersion: 1, estimators: [target] });
    const error = await errorOf(
      createApp({ algorithm: { estimator: name } }, { plugins: [plugin], useDeclared: false }),
    );
    expect(error.code).toBe('CONFIG_INVALID');
    expect(error.message).toContain('algorithm.estimator');
    expect(error.message).toContain(says);
  });
});
