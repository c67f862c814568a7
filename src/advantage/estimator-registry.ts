import { attributed } from '../attribute.js';
import {
  type CheckedOptions,
  checkOptions,
  checkOptionsNow,
  type OptionProblem,
  withoutOptions,
} from '../check-options.js';
import { jsonSchemaOf } from '../config/json-schema-of.js';
import type { AlgorithmConfig } from '../config/types.js';
import { type DeclaredKind, DeclaredRegistry, type Registered } from '../declared-registry.js';
import { messageOf, RllmError } from '../errors.js';
import type { RegistryEntry } from '../registry.js';
import type { Json } from '../types/index.js';
import type { AdvEstimatorOptions } from './adv-estimator.js';
import type {
  AdvantageEstimator,
  EstimateFunction,
  EstimatorClass,
  EstimatorPlan,
  Requirement,
} from './estimator.js';

/** What is known of an estimator without asking it to estimate. */
export interface EstimatorDescriptor {
  readonly name: string;
  readonly summary: string;
  readonly paper?: string;
  readonly owner: string;
  readonly scope: 'group' | 'batch';
  readonly requires: readonly Requirement[];
  /** Its advantages differ between the tokens of a trajectory. */
  readonly perToken: boolean;
  /** JSON Schema of `algorithm.estimatorOptions[name]`; absent where it takes none, or its schema library gives no JSON Schema. */
  readonly options?: Json;
  readonly defaultLoss?: string;
}

const ESTIMATOR: DeclaredKind<EstimateFunction, AdvantageEstimator, AdvEstimatorOptions> = {
  kind: 'estimator',
  title: 'advantage estimator',
  method: 'estimate',
  threw: 'ESTIMATOR_THREW',
  fromFunction: (estimate, { scope = 'group', requires }) => ({
    scope,
    requires: new Set(requires),
    estimate,
  }),
  fromInstance: (instance) => (isEstimator(instance) ? instance : undefined),
};

/** The advantage estimators of one app, by name. */
export class EstimatorRegistry extends DeclaredRegistry<
  EstimatorClass,
  EstimateFunction,
  AdvantageEstimator,
  AdvEstimatorOptions
> {
  /** Checked options by name, and by the very object that the config holds, so that each is checked once. */
  readonly #checked = new Map<string, WeakMap<object, CheckedOptions>>();

  /** @param options.construct  makes an instance of a class, by default with `new` and no arguments. */
  constructor(options: { readonly construct?: (cls: EstimatorClass) => AdvantageEstimator } = {}) {
    super(ESTIMATOR, options.construct);
  }

  /** What the estimator says of itself, its instance included. @throws RllmError as `get` does. */
  describe(name: string): EstimatorDescriptor {
    this.get(name);
    return descriptorOf(this.entry(name));
  }

  /** What it requires, by its decorator and by its instance. @throws RllmError as `get` does. */
  requirementsOf(name: string): ReadonlySet<Requirement> {
    return new Set(this.describe(name).requires);
  }

  /** All estimators in the order of their names' first mention; constructs none. */
  list(): EstimatorDescriptor[] {
    return this.entries().map(descriptorOf);
  }

  /**
   * Checks the options that a config gives to an estimator and remembers what its schema made of them, for `optionsOf`. Schemas
   * may be async, so an app asks this before it runs.
   *
   * @returns  what is wrong; options for an estimator that takes none are.
   * @throws RllmError UNKNOWN_NAME
   */
  async checkOptions(name: string, algorithm: AlgorithmConfig): Promise<readonly OptionProblem[]> {
    const schema = this.entry(name).value.options.options;
    const given = givenOptions(name, algorithm);
    const checked = schema === undefined ? takingNone(given, algorithm) : await checkOptions(schema, given);
    this.#remember(name, given, checked);
    return checked.problems;
  }

  /**
   * `algorithm.estimatorOptions[name]` as the estimator's schema gives it; `{}` for an estimator without one.
   *
   * @throws RllmError UNKNOWN_NAME; CONFIG_INVALID when the options are not what the schema takes, or it is async and
   *   `checkOptions` was not awaited before.
   */
  optionsOf(name: string, algorithm: AlgorithmConfig): unknown {
    const given = givenOptions(name, algorithm);
    let checked = this.#checked.get(name)?.get(given);
    if (checked === undefined) {
      const schema = this.entry(name).value.options.options;
      checked = schema === undefined ? takingNone(given, algorithm) : checkOptionsNow(schema, given);
      this.#remember(name, given, checked);
    }
    const [problem] = checked.problems;
    if (problem === undefined) return checked.value;
    const path = `algorithm.estimatorOptions.${name}${problem.at}`;
    throw new RllmError('CONFIG_INVALID', `${path}: ${problem.message}`, {
      ...(problem.cause === undefined ? {} : { cause: problem.cause }),
      details: {
        faults: checked.problems.map(({ at, message }) => ({
          path: `algorithm.estimatorOptions.${name}${at}`,
          message,
        })),
      },
    });
  }

  /**
   * Why an estimator cannot work in a run, one sentence each, by its own judgement; none where it has no `check`.
   *
   * @throws RllmError as `optionsOf` does.
   */
  check(name: string, plan: Omit<EstimatorPlan, 'options'>): readonly string[] {
    const { check } = this.entry(name).value.options;
    if (check === undefined) return [];
    const options = this.optionsOf(name, plan.algorithm);
    try {
      return check({ ...plan, options });
    } catch (cause) {
      return [`could not be checked; its check() threw: ${messageOf(cause)}`];
    }
  }

  #remember(name: string, given: object, checked: CheckedOptions): void {
    const own = this.#checked.get(name) ?? new WeakMap<object, CheckedOptions>();
    this.#checked.set(name, own.set(given, checked));
  }

  /** State of every estimator that has been used and keeps one, by name. Goes into the checkpoint. */
  stateDict(): Json {
    const states: [string, Json][] = [];
    for (const { name, value } of this.entries()) {
      const state = this.#asking(name, 'stateDict', () => value.part?.stateDict?.());
      if (state !== undefined) states.push([name, state]);
    }
    return Object.fromEntries(states);
  }

  /** @throws RllmError CHECKPOINT_INVALID when an estimator of the state is not here, or keeps no state. */
  loadStateDict(state: Json): void {
    if (typeof state !== 'object' || state === null || Array.isArray(state)) {
      throw new RllmError(
        'CHECKPOINT_INVALID',
        'The state of the estimators is no object of states by name.',
      );
    }
    for (const [name, own] of Object.entries(state)) {
      const estimator = this.has(name) ? this.get(name) : undefined;
      if (estimator?.loadStateDict === undefined) {
        const why = estimator === undefined ? 'it is not registered' : 'it has no loadStateDict()';
        throw new RllmError(
          'CHECKPOINT_INVALID',
          `The checkpoint has a state of the advantage estimator "${name}", but ${why}.`,
          { details: { estimator: name } },
        );
      }
      this.#asking(name, 'loadStateDict', () => estimator.loadStateDict?.(own));
    }
  }

  #asking<T>(name: string, method: string, call: () => T): T {
    try {
      return call();
    } catch (thrown) {
      throw attributed(thrown, this.partOf(name), `threw in ${method}()`, 'ESTIMATOR_THREW');
    }
  }
}

type Entry = RegistryEntry<
  Registered<EstimatorClass, EstimateFunction, AdvantageEstimator, AdvEstimatorOptions>
>;

const NO_OPTIONS: Readonly<Record<string, unknown>> = Object.freeze({});

/** Options for an estimator without a schema, all at fault. A setting that it reads is easily taken for its option. */
function takingNone(given: Readonly<Record<string, unknown>>, algorithm: AlgorithmConfig): CheckedOptions {
  const checked = withoutOptions(given, 'this estimator takes no options');
  if (checked.problems.length === 0) return checked;
  const problems = checked.problems.map((problem) => {
    const setting = problem.at.slice(1);
    if (!Object.hasOwn(algorithm, setting)) return problem;
    return { ...problem, message: `${problem.message}; the setting is algorithm.${setting}` };
  });
  return { value: undefined, problems };
}

function givenOptions(
  name: string,
  { estimatorOptions }: AlgorithmConfig,
): Readonly<Record<string, unknown>> {
  return (Object.hasOwn(estimatorOptions, name) ? estimatorOptions[name] : undefined) ?? NO_OPTIONS;
}

function descriptorOf({ name, owner, value: { options, part } }: Entry): EstimatorDescriptor {
  const { summary = '', paper, scope, requires, perToken = false, defaultLoss } = options;
  const jsonSchema = jsonSchemaOf(options.options);
  return {
    name,
    summary,
    ...(paper === undefined ? {} : { paper }),
    owner,
    scope: scope ?? part?.scope ?? 'group',
    requires: [...new Set([...(requires ?? []), ...(part?.requires ?? [])])],
    perToken,
    ...(jsonSchema === undefined ? {} : { options: jsonSchema }),
    ...(defaultLoss === undefined ? {} : { defaultLoss }),
  };
}

function isEstimator(value: unknown): value is AdvantageEstimator {
  return (
    typeof value === 'object' && value !== null && 'estimate' in value && typeof value.estimate === 'function'
  );
}
