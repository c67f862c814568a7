import type { DependencyContainer } from 'tsyringe';
import { attributed } from '../attribute.js';
import { type LoadedConfig, redact } from '../config/index.js';
import type { Registry, RegistryEntry } from '../registry.js';
import type { OwnedTracker, TrackerDefinition } from '../tracking/index.js';
import { type PluginHooks, UnifiedTrainer } from '../trainer/index.js';
import { WorkflowEngine } from '../workflow/index.js';
import type { AppOptions } from './app.js';
import { bindOnce } from './bind-parts.js';
import type { PartsReport } from './check-parts.js';
import type { BackendChoice } from './choose-backend.js';
import { guardedPart } from './guarded-part.js';
import { requirementsOf } from './named-estimators.js';
import type { Registries } from './registries.js';
import { resolveToken } from './resolve-token.js';
import type { Teardown } from './teardown.js';
import {
  BACKEND,
  CLOCK,
  CONFIG,
  ENGINE,
  ESTIMATORS,
  GROUPING_HOOK,
  LOGGER,
  NOW,
  RUN_FOLDER,
  type Token,
  TRAIN_DATA,
  TRAINER,
  VAL_DATA,
  WORKFLOW,
} from './tokens.js';

/** What is known once plugins are installed and the config is checked. */
export interface ChosenParts {
  readonly backend: BackendChoice;
  /** Read when the engine is built: what the config chooses is checked by then. */
  readonly checked: () => Pick<PartsReport, 'workflowOptions' | 'rewards'> | undefined;
  readonly hooks: readonly PluginHooks[];
  readonly registries: Registries;
  readonly loaded: LoadedConfig;
  readonly teardown: Teardown;
  readonly options: Pick<AppOptions, 'print' | 'weights'>;
  /** Fires when the app is disposed. */
  readonly signal: AbortSignal;
}

/** Binds backend, engine and trainer, each unless an override has bound it; they are built when first needed. */
export function bindChosenParts(container: DependencyContainer, parts: ChosenParts): void {
  const { registries, teardown, signal, hooks } = parts;
  const get = <T>(token: Token<T>): T => resolveToken(container, token);
  const bind = <T>(token: Token<T>, make: () => T): void => {
    if (!container.isRegistered(token)) bindOnce(container, token, make);
  };
  bind(BACKEND, () => {
    const config = get(CONFIG);
    const { name } = config.backend;
    const owner = registries.backends.has(name) ? registries.backends.entry(name).owner : undefined;
    const part = { what: `backend "${name}"`, owner };
    try {
      const requirements = requirementsOf(config, get(ESTIMATORS));
      const backend = parts.backend.create({
        config,
        logger: get(LOGGER),
        signal,
        requirements,
        baseDirectory: parts.loaded.directory,
      });
      if (owner === 'built-in') return backend;
      const rolloutEngine = guardedPart(backend.rolloutEngine, part, 'ROLLOUT_FAILED');
      return guardedPart(backend, part, 'BACKEND_FAILED', { rolloutEngine });
    } catch (cause) {
      throw attributed(cause, part, 'could not be built', 'BACKEND_FAILED');
    }
  });
  bind(ENGINE, () => {
    const { workflow, rollout, trainer } = get(CONFIG);
    const engine = new WorkflowEngine({
      workflow: get(WORKFLOW),
      owner: ownerOf(registries.workflows, get(WORKFLOW)),
      options: parts.checked()?.workflowOptions,
      rewards: parts.checked()?.rewards ?? [],
      rolloutEngine: get(BACKEND).rolloutEngine,
      config: workflow,
      rollout,
      logger: get(LOGGER),
      seed: trainer.seed,
      clock: get(CLOCK),
    });
    teardown.defer('workflow engine', () => engine.shutdown());
    return engine;
  });
  bind(TRAINER, () => {
    const config = get(CONFIG);
    return new UnifiedTrainer({
      config,
      estimators: get(ESTIMATORS),
      groupingHook: get(GROUPING_HOOK),
      backend: get(BACKEND),
      engine: get(ENGINE),
      trackers: config.tracking.trackers.map((name) => ownedTracker(registries.trackers.entry(name))),
      redactedConfig: redact(config, parts.loaded),
      hooks,
      trainData: get(TRAIN_DATA),
      valData: get(VAL_DATA),
      run: get(RUN_FOLDER),
      weights: parts.options.weights,
      print: parts.options.print,
      logger: get(LOGGER),
      clock: get(CLOCK),
      now: get(NOW),
    });
  });
}

/** Who brought a part; none for one that an override has bound. */
function ownerOf<T extends { readonly name: string }>(registry: Registry<T>, part: T): string | undefined {
  const entry = registry.has(part.name) ? registry.entry(part.name) : undefined;
  return entry?.value === part ? entry.owner : undefined;
}

function ownedTracker({ value, owner }: RegistryEntry<TrackerDefinition>): OwnedTracker {
  return { name: value.name, summary: value.summary, owner, create: (context) => value.create(context) };
}
