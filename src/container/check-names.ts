import { formatPath, type RllmConfig } from '../config/index.js';
import { messageOf, RllmError } from '../errors.js';
import { nearest } from '../nearest.js';
import type { Registries } from './registries.js';

/** A fault of a configuration as a whole, before it is known which file it stands in. */
export interface SettingFault {
  readonly path: string;
  readonly message: string;
  readonly expected?: string | undefined;
  readonly nearest?: string | undefined;
}

/** Names of estimators and trackers, and of estimators and backends that options are given for, that nothing registered has. */
export function checkNames(config: RllmConfig, registries: Registries): readonly SettingFault[] {
  const { estimators, trackers, backends } = registries;
  const { estimator, estimatorMap, estimatorOptions } = config.algorithm;
  const roles = Object.entries(estimatorMap);
  return [
    ...unknownName('advantage estimator', estimator, 'algorithm.estimator', estimators.names()),
    ...roles.flatMap(([role, name]) =>
      unknownName(
        'advantage estimator',
        name,
        formatPath(['algorithm', 'estimatorMap', role]),
        estimators.names(),
      ),
    ),
    ...Object.keys(estimatorOptions).flatMap((name) =>
      unknownName(
        'advantage estimator',
        name,
        formatPath(['algorithm', 'estimatorOptions', name]),
        estimators.names(),
      ),
    ),
    ...config.tracking.trackers.flatMap((name, i) =>
      unknownName('tracker', name, `tracking.trackers[${i}]`, trackers.names()),
    ),
    ...Object.keys(config.backend.options).flatMap((name) =>
      unknownName('backend', name, formatPath(['backend', 'options', name]), backends.names()),
    ),
  ];
}

/** A fault, or none, for a name at a path of the config. */
export function unknownName(
  kind: string,
  name: string,
  path: string,
  known: readonly string[],
): readonly SettingFault[] {
  if (known.includes(name)) return [];
  const near = nearest(name, known);
  return [
    {
      path,
      message: `no ${kind} is named "${name}"`,
      expected: known.length === 0 ? `a ${kind} from a plugin; none is known` : [...known].sort().join(' | '),
      ...(near === undefined ? {} : { nearest: near }),
    },
  ];
}

/** What a part threw when it was asked for: an unknown name, faults of its own, or anything. */
export function faultsOf(thrown: unknown, path: string): readonly SettingFault[] {
  if (RllmError.isInstance(thrown)) {
    const { kind, name, known, faults } = thrown.details;
    if (thrown.code === 'UNKNOWN_NAME' && Array.isArray(known)) {
      return unknownName(String(kind), String(name), path, known.map(String));
    }
    if (Array.isArray(faults)) return faults as readonly SettingFault[];
  }
  return [{ path, message: messageOf(thrown) }];
}
