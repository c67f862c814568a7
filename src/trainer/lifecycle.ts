import type { Backend } from '../backend/index.js';
import { messageOf, RllmError } from '../errors.js';
import type { Episode, LifecycleHooks, Metrics, TrainerState } from '../types/index.js';

/** The hooks of one plugin. */
export interface PluginHooks {
  readonly plugin: string;
  readonly hooks: LifecycleHooks;
}

/**
 * Calls the backend's hook and then each plugin's, in the order in which plugins are named, one after another.
 *
 * A hook that throws stops the run with the name of who threw.
 *
 * @throws RllmError HOOK_FAILED for a plugin's hook; BACKEND_FAILED for the backend's, unless it threw an RllmError itself.
 */
export class Lifecycle {
  readonly #backend: Backend;
  readonly #plugins: readonly PluginHooks[];

  constructor(backend: Backend, plugins: readonly PluginHooks[]) {
    this.#backend = backend;
    this.#plugins = plugins;
  }

  async trainStart(state: TrainerState): Promise<void> {
    await this.#ofBackend('onTrainStart', () => this.#backend.onTrainStart?.(state));
    await this.#ofPlugins('onTrainStart', (hooks) => hooks.onTrainStart?.(state));
  }

  async trainEnd(state: TrainerState): Promise<void> {
    await this.#ofBackend('onTrainEnd', () => this.#backend.onTrainEnd?.(state));
    await this.#ofPlugins('onTrainEnd', (hooks) => hooks.onTrainEnd?.(state));
  }

  async epochStart(state: TrainerState): Promise<void> {
    await this.#ofBackend('onEpochStart', () => this.#backend.onEpochStart?.(state));
    await this.#ofPlugins('onEpochStart', (hooks) => hooks.onEpochStart?.(state));
  }

  async epochEnd(state: TrainerState): Promise<void> {
    await this.#ofBackend('onEpochEnd', () => this.#backend.onEpochEnd?.(state));
    await this.#ofPlugins('onEpochEnd', (hooks) => hooks.onEpochEnd?.(state));
  }

  async batchStart(state: TrainerState): Promise<void> {
    await this.#ofBackend('onBatchStart', () => this.#backend.onBatchStart?.(state));
    await this.#ofPlugins('onBatchStart', (hooks) => hooks.onBatchStart?.(state));
  }

  async batchEnd(state: TrainerState): Promise<void> {
    await this.#ofBackend('onBatchEnd', () => this.#backend.onBatchEnd?.(state));
    await this.#ofPlugins('onBatchEnd', (hooks) => hooks.onBatchEnd?.(state));
  }

  /** Every rollout, of training and validation, in the batch's order once all have ended, so that hooks see one order. */
  async rolloutsEnd(episodes: readonly Episode[]): Promise<void> {
    for (const episode of episodes) {
      await this.#ofPlugins('onRolloutEnd', (hooks) => hooks.onRolloutEnd?.(episode));
    }
  }

  /** False when the backend wants to skip this validation; plugins are then not called. */
  async validationStart(state: TrainerState): Promise<boolean> {
    const goesOn = await this.#ofBackend('onValidationStart', () => this.#backend.onValidationStart?.(state));
    if (goesOn === false) return false;
    await this.#ofPlugins('onValidationStart', (hooks) => hooks.onValidationStart?.(state));
    return true;
  }

  async validationEnd(state: TrainerState, metrics: Metrics): Promise<void> {
    await this.#ofBackend('onValidationEnd', () => this.#backend.onValidationEnd?.(state));
    await this.#ofPlugins('onValidationEnd', (hooks) => hooks.onValidationEnd?.(state, metrics));
  }

  async checkpoint(state: TrainerState, directory: string): Promise<void> {
    await this.#ofPlugins('onCheckpoint', (hooks) => hooks.onCheckpoint?.(state, directory));
  }

  async #ofBackend<T>(point: string, call: () => Promise<T> | undefined): Promise<T | undefined> {
    try {
      return await call();
    } catch (cause) {
      if (RllmError.isInstance(cause)) throw cause;
      throw new RllmError(
        'BACKEND_FAILED',
        `The backend "${this.#backend.name}" failed in ${point}: ${messageOf(cause)}`,
        { cause },
      );
    }
  }

  async #ofPlugins(
    point: keyof LifecycleHooks,
    call: (hooks: LifecycleHooks) => void | Promise<void> | undefined,
  ): Promise<void> {
    for (const { plugin, hooks } of this.#plugins) {
      try {
        await call(hooks);
      } catch (cause) {
        throw new RllmError(
          'HOOK_FAILED',
          `The plugin "${plugin}" failed in its hook ${point}: ${messageOf(cause)}`,
          { cause, details: { plugin, hook: point } },
        );
      }
    }
  }
}
