import { type DeclaredKind, DeclaredRegistry, type Registered } from '../declared-registry.js';
import { RllmError } from '../errors.js';
import type { RegistryEntry } from '../registry.js';
import type { Json } from '../types/index.js';
import type { AdvEstimatorOptions } from './adv-estimator.js';
import type { AdvantageEstimator, EstimateFunction, EstimatorClass, Requirement } from './estimator.js';

/** What is known of an estimator without asking it to estimate. */
export interface EstimatorDescriptor {
  readonly name: string;
  readonly summary: string;
  readonly paper?: string;
  readonly owner: string;
  readonly scope: 'group' | 'batch';
  readonly requires: readonly Requirement[];
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
  /** @param options.construct  makes an instance of a class, by default with `new` and no arguments. */
  constructor(options: { readonly construct?: (cls: EstimatorClass) => AdvantageEstimator } = {}) {
    super(ESTIMATOR, options.construct);
  }

  /** What the estimator says of itself, its instance included. @throws RllmError as `get` does. */
  describe(name: string): EstimatorDescriptor {
    this.get(name);
    return descriptorOf(this.entry(name));
  }

  /** All estimators in the order of their names' first mention; constructs none. */
  list(): EstimatorDescriptor[] {
    return this.entries().map(descriptorOf);
  }

  /** State of every estimator that has been used and keeps one, by name. Goes into the checkpoint. */
  stateDict(): Json {
    const states: [string, Json][] = [];
    for (const { name, value } of this.entries()) {
      const state = value.part?.stateDict?.();
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
      estimator.loadStateDict(own);
    }
  }
}

type Entry = RegistryEntry<
  Registered<EstimatorClass, EstimateFunction, AdvantageEstimator, AdvEstimatorOptions>
>;

function descriptorOf({ name, owner, value: { options, part } }: Entry): EstimatorDescriptor {
  const { summary = '', paper, scope, requires, defaultLoss } = options;
  return {
    name,
    summary,
    ...(paper === undefined ? {} : { paper }),
    owner,
    scope: scope ?? part?.scope ?? 'group',
    requires: [...new Set([...(requires ?? []), ...(part?.requires ?? [])])],
    ...(defaultLoss === undefined ? {} : { defaultLoss }),
  };
}

function isEstimator(value: unknown): value is AdvantageEstimator {
  return (
    typeof value === 'object' && value !== null && 'estimate' in value && typeof value.estimate === 'function'
  );
}
