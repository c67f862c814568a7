import { RllmError } from '../errors.js';
import type { LifecycleHooks } from '../types/index.js';

/** Which hook of which plugin. */
export interface HookName {
  readonly plugin: string;
  readonly hook: keyof LifecycleHooks;
}

/** Which plugin ended a run before its plan, and why. */
export interface RunStop {
  readonly by: string;
  readonly reason: string;
}

/** A run as it is steered. */
export interface SteeredRun {
  /** Its folder; empty when nothing is written. */
  readonly directory: string;
  /** Whether it ends after the step at hand in any case, or has ended. */
  isEnding(): boolean;
  /** Folder of the checkpoint of the step at hand, if there is one. */
  currentCheckpoint(): string | null;
  /** Saves one; null when nothing is written or the backend has no checkpoints. */
  saveCheckpoint(): Promise<string | null>;
  /** Is told of the first stop. */
  onStop(stop: RunStop): void;
}

/** How far a run is: not begun, so that there is nothing to save; between steps; within one, of which only a part is done. */
export type RunPhase = 'starting' | 'betweenSteps' | 'withinStep';

/** What hooks may do to a run. Where no run is written and none can be stopped, as in a validation alone, it does nothing. */
export class RunSteering {
  phase: RunPhase = 'starting';
  #run: SteeredRun | undefined;
  #stop: RunStop | null = null;
  #saving: Promise<string | null> | undefined;

  attach(run: SteeredRun): void {
    this.#run = run;
  }

  get directory(): string {
    return this.#run?.directory ?? '';
  }

  /** Who has asked the run to end, if it was not ending anyway. */
  get stop(): RunStop | null {
    return this.#stop;
  }

  /** The first to ask decides. */
  requestStop(stop: RunStop): void {
    if (this.#run === undefined || this.#run.isEnding()) return;
    this.#stop = stop;
    this.#run.onStop(stop);
  }

  /**
   * Folder of the checkpoint of the step at hand, which is saved if need be; two who ask at once share it.
   *
   * @throws RllmError HOOK_FAILED within a step.
   */
  async checkpoint(by: HookName): Promise<string | null> {
    if (this.#run === undefined) return null;
    if (this.phase === 'withinStep') {
      throw new RllmError(
        'HOOK_FAILED',
        `The plugin "${by.plugin}" asked for a checkpoint in its hook ${by.hook}, within a step, of which a part is still to be done. Ask between steps: in onValidationEnd, onEpochEnd, onCheckpoint or onTrainEnd.`,
        { details: { ...by } },
      );
    }
    // A hook at onCheckpoint asks while that one is being saved; it must not wait for itself.
    const current = this.#run.currentCheckpoint();
    if (current !== null || this.phase === 'starting') return current;
    this.#saving ??= this.#run.saveCheckpoint().finally(() => {
      this.#saving = undefined;
    });
    return this.#saving;
  }
}
