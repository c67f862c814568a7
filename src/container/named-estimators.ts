import type { EstimatorRegistry, Requirement } from '../advantage/index.js';
import { formatPath, type RllmConfig } from '../config/index.js';

/** Every estimator that a config names, with the path at which it does. */
export function namedEstimators({
  algorithm,
}: RllmConfig): readonly (readonly [path: string, name: string])[] {
  const roles = Object.entries(algorithm.estimatorMap);
  return [
    ['algorithm.estimator', algorithm.estimator],
    ...roles.map(([role, name]) => [formatPath(['algorithm', 'estimatorMap', role]), name] as const),
  ];
}

/**
 * What the estimators and reward policies of a config need of a backend. Names that nothing has, and classes that cannot be
 * constructed, need nothing here: they are faults of their own.
 */
export function requirementsOf(config: RllmConfig, estimators: EstimatorRegistry): ReadonlySet<Requirement> {
  const requirements = new Set<Requirement>();
  if (config.algorithm.klInReward.coefficient > 0) requirements.add('referenceLogprobs').add('logprobs');
  for (const [, name] of namedEstimators(config)) {
    if (!estimators.has(name)) continue;
    try {
      for (const requirement of estimators.describe(name).requires) requirements.add(requirement);
    } catch {
      // Reported where the estimator is asked for by name.
    }
  }
  return requirements;
}
