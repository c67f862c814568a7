import type { Backend, BackendContext, BackendDefinition } from '../backend/index.js';
import { type CheckedOptions, checkOptions } from '../check-options.js';
import { formatPath, type RllmConfig } from '../config/index.js';
import { messageOf, RllmError } from '../errors.js';
import { isObject, show } from '../field-checks.js';
import { ownValue } from '../own-value.js';
import type { Registry, RegistryEntry } from '../registry.js';
import type { SettingFault } from './check-names.js';

/** The backend that the config names, not built yet. */
export interface BackendChoice {
  /** Faults of options that the config gives to backends other than the one it names, so that switching stays one line. */
  readonly otherFaults: readonly SettingFault[];
  /**
   * Builds the backend; it connects to nothing before its `start`.
   *
   * @throws RllmError UNKNOWN_NAME; CONFIG_INVALID with `details.faults` when its options or the config do not suit it
   */
  create(context: BackendContext): Backend;
}

/** Validates backend options now, since schemas may be async and building is not. */
export async function chooseBackend(
  config: RllmConfig,
  backends: Registry<BackendDefinition>,
): Promise<BackendChoice> {
  const { name, options } = config.backend;
  const otherFaults: SettingFault[] = [];
  for (const [other, value] of Object.entries(options)) {
    if (other === name || !backends.has(other)) continue;
    otherFaults.push(...optionFaults(other, await checkOptions(backends.get(other).options, value)));
  }
  if (!backends.has(name))
    return { otherFaults, create: (context) => backends.get(name).create({}, context) };
  const definition = backends.get(name);
  const checked = await checkOptions(definition.options, ownValue(options, name) ?? {});
  const faults = optionFaults(name, checked);
  if (faults.length === 0) faults.push(...configFaults(backends.entry(name), config, checked.value));
  return {
    otherFaults,
    create(context) {
      if (faults.length === 0) return assertBackend(definition.create(checked.value, context));
      throw new RllmError(
        'CONFIG_INVALID',
        `The backend "${name}" cannot be built with this configuration.`,
        {
          details: { faults },
        },
      );
    },
  };
}

const METHODS: readonly (keyof Backend)[] = [
  'start',
  'transformToBackendBatch',
  'processBatch',
  'updatePolicy',
  'saveCheckpoint',
  'loadCheckpoint',
  'shutdown',
];

/** Found before a run: a method that a backend without types lacks would otherwise be missed after its rollouts. */
function assertBackend(backend: Backend): Backend {
  const given: unknown = backend;
  if (!isObject(given) || given instanceof Promise)
    throw new TypeError(
      `create() must give a backend, at once; got ${given instanceof Promise ? 'a promise' : show(given)}`,
    );
  const lacking = METHODS.filter((method) => typeof given[method] !== 'function').map(
    (method) => `${method}()`,
  );
  const engine = given['rolloutEngine'];
  if (!isObject(engine) || typeof engine['getModelResponse'] !== 'function')
    lacking.push('rolloutEngine.getModelResponse()');
  if (!isObject(given['capabilities'])) lacking.push('capabilities');
  if (lacking.length > 0) throw new TypeError(`what create() gives has no ${lacking.join(', ')}`);
  return backend;
}

function isFault(fault: unknown): fault is SettingFault {
  return isObject(fault) && typeof fault['path'] === 'string' && typeof fault['message'] === 'string';
}

function optionFaults(name: string, { problems }: CheckedOptions): SettingFault[] {
  const path = formatPath(['backend', 'options', name]);
  return problems.map(({ at, message }) => ({ path: path + at, message }));
}

function configFaults(
  { value: definition, owner }: RegistryEntry<BackendDefinition>,
  config: RllmConfig,
  options: unknown,
): readonly SettingFault[] {
  try {
    const faults: unknown = definition.check?.(config, options) ?? [];
    if (Array.isArray(faults) && faults.every(isFault)) return faults;
    throw new TypeError(`it must give a list of { path, message }, got ${show(faults)}`);
  } catch (thrown) {
    return [
      {
        path: 'backend.name',
        message: `the backend "${definition.name}" of ${owner} failed in check(): ${messageOf(thrown)}`,
      },
    ];
  }
}
