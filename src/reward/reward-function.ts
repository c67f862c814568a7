import { declaringDecorator } from '../declaring-decorator.js';
import type { StandardSchema } from '../standard-schema.js';
import type { Episode, Trajectory } from '../types/index.js';

/** What a reward function judges: one trajectory of a rollout that has ended. All of it is read-only. */
export interface RewardInput<Options = unknown> {
  /** The row of the dataset. */
  readonly task: Readonly<Record<string, unknown>>;
  readonly trajectory: Readonly<Trajectory>;
  /** The rollout that it is part of, with the trajectories of all roles. */
  readonly episode: Readonly<Episode>;
  readonly options: Options;
  /** Fires at the deadline of the rollout and when the run stops. */
  readonly signal: AbortSignal;
}

/**
 * A judgement of one trajectory, any finite number. A class has it as its method `score`.
 *
 * What it throws, and a number that is not finite, fails the rollout, which is tried again or dropped as `workflow` says.
 */
export type RewardScore<Options = never> = (input: RewardInput<Options>) => number | Promise<number>;

/** An object that judges; constructed once per app. */
export interface Rewarder<Options = never> {
  score(input: RewardInput<Options>): number | Promise<number>;
}

export type RewarderClass = abstract new (...args: never[]) => Rewarder;

/** What `@RewardFunction(name, …)` takes besides the name. */
export interface RewardFunctionOptions {
  /** One sentence for lists. */
  readonly summary?: string;
  /** Validates the options that the config gives; any Standard Schema. Without it there are none. */
  readonly options?: StandardSchema;
  /** Takes the place of an earlier reward function of this name. */
  readonly override?: boolean;
}

/** What `@RewardFunction(name)` may stand on: in this order functions, TC39 and legacy classes, TC39 and legacy static methods. */
export interface RewardFunctionDecorator {
  <F extends RewardScore>(fn: F, never?: undefined): F;
  <C extends RewarderClass>(target: C, context?: ClassDecoratorContext<C>): void;
  <F extends RewardScore>(
    value: F,
    context: ClassMethodDecoratorContext<unknown, F> & { static: true },
  ): void;
  <F extends RewardScore>(
    // biome-ignore lint/complexity/noBannedTypes: a legacy static method's first argument is its class, which only `Function` says.
    target: Function,
    key: string | symbol,
    descriptor: TypedPropertyDescriptor<F>,
  ): void;
}

/**
 * Declares a reward function, under legacy or TC39 decorators, or as a plain call: on a class with a method `score`, on a static
 * method, on a function. Like `AdvEstimator`, it changes nothing in a running app; `reward.functions` in the config names it.
 *
 * ```ts
 * export const brief = RewardFunction('brief')(({ trajectory }) => (trajectory.steps.length <= 3 ? 1 : 0));
 * ```
 *
 * @throws RllmError DECORATOR_MISUSED on anything else, for an empty name, and for options that there are not.
 */
export function RewardFunction(name: string, options: RewardFunctionOptions = {}): RewardFunctionDecorator {
  return declaringDecorator({
    kind: 'rewardFunction',
    label: '@RewardFunction',
    method: 'score',
    name,
    options,
  }) as RewardFunctionDecorator;
}
