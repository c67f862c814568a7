import { declaringDecorator } from '../declaring-decorator.js';
import { type Check, callable, flag, listOf, oneOf, text } from '../field-checks.js';
import type { StandardSchema } from '../standard-schema.js';
import type { EstimateFunction, EstimatorClass, EstimatorPlan, Requirement } from './estimator.js';
import { REQUIREMENTS } from './estimator-input.js';

/** What an estimator says of itself. */
export interface AdvEstimatorOptions {
  /** Its formula in one line, printed by `rllm estimators list`. */
  readonly summary?: string;
  /** Where it is published. */
  readonly paper?: string;
  /** Takes the place of an estimator of the same name, a built-in one included. */
  readonly override?: boolean;
  /** `batch` when groups influence each other; `group` by default. */
  readonly scope?: 'group' | 'batch';
  /** What it needs beyond rewards. */
  readonly requires?: readonly Requirement[];
  /** Validates `algorithm.estimatorOptions[name]`; must accept `{}`. */
  readonly options?: StandardSchema;
  /** Settings that cannot work with it, one sentence each; called before a run with its validated options. */
  readonly check?: (plan: EstimatorPlan) => readonly string[];
  /** It returns advantages per token. */
  readonly perToken?: boolean;
  /** Loss that backends use with it when `algorithm.lossFn` is null and they know no better. */
  readonly defaultLoss?: string;
}

const CHECKS = {
  paper: text,
  scope: oneOf('group', 'batch'),
  requires: listOf(oneOf(...REQUIREMENTS)),
  check: callable,
  perToken: flag,
  defaultLoss: text,
} satisfies Partial<Record<keyof AdvEstimatorOptions, Check>>;

/** What `@AdvEstimator(name)` may stand on: in this order functions, TC39 and legacy classes, TC39 and legacy static methods. */
export interface AdvEstimatorDecorator {
  <F extends EstimateFunction>(fn: F, never?: undefined): F;
  <C extends EstimatorClass>(target: C, context?: ClassDecoratorContext<C>): void;
  <F extends EstimateFunction>(
    value: F,
    context: ClassMethodDecoratorContext<unknown, F> & { static: true },
  ): void;
  <F extends EstimateFunction>(
    // biome-ignore lint/complexity/noBannedTypes: a legacy static method's first argument is its class, which only `Function` says.
    target: Function,
    key: string | symbol,
    descriptor: TypedPropertyDescriptor<F>,
  ): void;
}

/**
 * Declares an advantage estimator, under legacy or TC39 decorators, or as a plain call. It changes nothing in a running app:
 * an app collects what was declared by its plugins and its own modules when it is created.
 *
 * ```ts
 * @AdvEstimator('mine', { summary: 'r − best of the group' })
 * class Mine { estimate(batch: AdvantageBatch) { … } }
 *
 * export const mine = AdvEstimator('mine')((batch) => ({ advantages: batch.rewards.map(…) }));
 * ```
 *
 * On a class it goes outermost: a decorator that replaces the class would otherwise replace what was declared.
 *
 * @throws RllmError DECORATOR_MISUSED on anything else, for an empty name, and for options that there are not.
 */
export function AdvEstimator(name: string, options: AdvEstimatorOptions = {}): AdvEstimatorDecorator {
  return declaringDecorator({
    kind: 'estimator',
    label: '@AdvEstimator',
    method: 'estimate',
    name,
    options,
    checks: CHECKS,
  }) as AdvEstimatorDecorator;
}
