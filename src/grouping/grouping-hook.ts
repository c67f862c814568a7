import type { TransformConfig } from '../config/types.js';
import { declaringDecorator } from '../declaring-decorator.js';
import type { StandardSchema } from '../standard-schema.js';
import type { Episode, TrajectoryGroup } from '../types/index.js';

/**
 * Decides which trajectories are compared with each other.
 *
 * It is called once per batch, in training and in validation, after unnamed trajectories were named, rewards propagated and
 * compact filtering applied: what it sees is what trains. Every trajectory of the episodes may stand in at most one group; one
 * that stands in none does not train. A hook may also compare parts of trajectories: those that `trajectoryPart` makes, each
 * step in at most one of them.
 *
 * `options` are `transform.groupingOptions[name]` as the schema of a hook from a registry gives them; as they were written when the
 * bare function is handed to the transform.
 */
export type GroupingHook<Options = unknown> = {
  // A method, so that a hook of certain options stands where one of any options is asked for.
  group(
    episodes: readonly Episode[],
    transform: TransformConfig,
    options?: Options,
  ): readonly TrajectoryGroup[];
}['group'];

/** Any class whose instances group. */
export type GroupingHookClass = abstract new (...args: never[]) => { group: GroupingHook };

/** What a grouping hook says of itself. */
export interface GroupingHookOptions {
  /** What it compares with what, in one line. */
  readonly summary?: string;
  /** Validates `transform.groupingOptions[name]`, synchronously. A hook without it takes no options. */
  readonly options?: StandardSchema;
  /** Takes the place of a hook of the same name, a built-in one included. */
  readonly override?: boolean;
}

/** What `@GroupingHook(name)` may stand on: in this order functions, TC39 and legacy classes, TC39 and legacy static methods. */
export interface GroupingHookDecorator {
  <F extends GroupingHook>(fn: F, never?: undefined): F;
  <C extends GroupingHookClass>(target: C, context?: ClassDecoratorContext<C>): void;
  <F extends GroupingHook>(
    value: F,
    context: ClassMethodDecoratorContext<unknown, F> & { static: true },
  ): void;
  <F extends GroupingHook>(
    // biome-ignore lint/complexity/noBannedTypes: a legacy static method's first argument is its class, which only `Function` says.
    target: Function,
    key: string | symbol,
    descriptor: TypedPropertyDescriptor<F>,
  ): void;
}

/**
 * Declares a grouping hook, under legacy or TC39 decorators, or as a plain call: on a class with a method `group`, on a static
 * method, on a function. Like `AdvEstimator`, it changes nothing in a running app.
 *
 * ```ts
 * export const byLevel = GroupingHook('by_level')((episodes, transform) => […]);
 * ```
 *
 * @throws RllmError DECORATOR_MISUSED on anything else, for an empty name, and for options that there are not.
 */
export function GroupingHook(name: string, options: GroupingHookOptions = {}): GroupingHookDecorator {
  return declaringDecorator({
    kind: 'groupingHook',
    label: '@GroupingHook',
    method: 'group',
    name,
    options,
  }) as GroupingHookDecorator;
}
