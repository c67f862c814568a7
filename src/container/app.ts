import type { DependencyContainer } from 'tsyringe';
import type { LoadedConfig, RllmConfig } from '../config/index.js';
import type { Dataset } from '../data/index.js';
import type { Logger } from '../logger.js';
import type { InlinePlugin, LoadedPlugin } from '../plugin-host/index.js';
import type { UnifiedTrainer } from '../trainer/index.js';
import type { WorkflowDefinition, WorkflowFunction } from '../workflow/index.js';
import type { Registries } from './registries.js';
import type { Token } from './tokens.js';

/** Where a run is written. */
export interface RunTarget {
  /** A new or empty folder; `{trainer.runsDir}/{project}/{experiment}/{id}` when absent. */
  readonly directory?: string | undefined;
  /** The folder of a run, or one of its checkpoints, to go on from. */
  readonly resume?: string | undefined;
  /** Go on with a run although plugins are missing, new, or of another version than it was made with. */
  readonly allowPluginChange?: boolean | undefined;
  /** The command line, for the manifest. */
  readonly command?: string | undefined;
}

export interface AppOptions {
  /** Plugins given as objects, after those that the config names. */
  readonly plugins?: readonly InlinePlugin[] | undefined;
  /** The workflow to run, in place of the one that `workflow.use` names. */
  readonly workflow?: WorkflowDefinition | WorkflowFunction | undefined;
  /** Datasets, in place of the files that `data` names. */
  readonly trainData?: Dataset | undefined;
  readonly valData?: Dataset | undefined;
  /** Take in what the program itself has declared, outside any plugin; true by default. */
  readonly useDeclared?: boolean | undefined;
  /**
   * Report at once what only a trainer needs and the config does not mention (a workflow, options of the backend). By default
   * that is an error when the trainer is asked for, so that an app without them can be looked at.
   */
  readonly complete?: boolean | undefined;
  /** The app shall only validate, so that a backend that cannot train will do; false by default. */
  readonly validateOnly?: boolean | undefined;
  /** Replaces any binding before anything is built: `(container) => container.registerInstance(BACKEND, mine)`. */
  readonly override?: ((container: DependencyContainer) => void) | undefined;
  /** Silent by default. */
  readonly logger?: Logger | undefined;
  /** Writes a line of a tracker for a person; the logger's `info` by default. */
  readonly print?: ((line: string) => void) | undefined;
  /** A checkpoint's folder to take the weights from, to validate them. */
  readonly weights?: string | undefined;
  /** `null` writes nothing. */
  readonly run?: RunTarget | null | undefined;
  /** Folder against which the paths of a config given in code resolve; the working directory by default. */
  readonly baseDirectory?: string | undefined;
}

/** Everything of one training, put together. Two apps in one process share nothing but what the program has declared. */
export interface App extends Registries, AsyncDisposable {
  readonly config: RllmConfig;
  /** The config with where each value came from. */
  readonly loaded: LoadedConfig;
  /** In the order in which they were installed; the built-in parts are not among them. */
  readonly plugins: readonly LoadedPlugin[];
  /**
   * The trainer, the same at every call. The first call loads the data, looks at the run's folder and starts the backend.
   *
   * @throws RllmError CONFIG_INVALID without a workflow or what the backend must be told, DATASET_INVALID, RUN_DIR_INVALID, CHECKPOINT_INVALID, PLUGIN_CHANGED, BACKEND_FAILED
   */
  trainer(): Promise<UnifiedTrainer>;
  /** The part that a token names. @throws RllmError INJECTION_FAILED */
  resolve<T>(token: Token<T>): T;
  /** Stops what was started and runs what plugins deferred, last in first out. A second call waits for the first. */
  dispose(): Promise<void>;
}
