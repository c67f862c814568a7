import type { DependencyContainer } from 'tsyringe';
import { type LoadedConfig, redact } from '../config/index.js';
import { messageOf, RllmError } from '../errors.js';
import { type PluginHooks, UnifiedTrainer } from '../trainer/index.js';
import { WorkflowEngine } from '../workflow/index.js';
import type { AppOptions } from './app.js';
import { bindOnce } from './bind-parts.js';
import type { BackendChoice } from './choose-backend.js';
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
  /** Read when the engine is built: validated by then. */
  readonly workflowOptions: () => unknown;
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
    const { name } = get(CONFIG).backend;
    try {
      const config = get(CONFIG);
      const requirements = requirementsOf(config, get(ESTIMATORS));
      return parts.backend.create({
        config,
        logger: get(LOGGER),
        signal,
        requirements,
        baseDirectory: parts.loaded.directory,
      });
    } catch (cause) {
      if (RllmError.isInstance(cause)) throw cause;
      const who = `the backend "${name}" of ${registries.backends.entry(name).owner}`;
      throw new RllmError('BACKEND_FAILED', `${who} could not be built: ${messageOf(cause)}`, { cause });
    }
  });
  bind(ENGINE, () => {
    const { workflow, rollout, trainer } = get(CONFIG);
    const engine = new WorkflowEngine({
      workflow: get(WORKFLOW),
      options: parts.workflowOptions(),
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
      trackers: config.tracking.trackers.map((name) => registries.trackers.get(name)),
      redactedConfig: redact(config, parts.loaded),
      hooks,
      trainData: get(TRAIN_DATA),
      valData: get(VAL_DATA),
      run: get(RUN_FOLDER),
      weights: parts.options.weights,
      print: parts.options.print,
      logger: get(LOGGER),
      now: get(NOW),
    });
  });
}
