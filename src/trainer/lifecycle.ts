import { awaitBackend, type Backend } from '../backend/index.js';
import { messageOf, RllmError } from '../errors.js';
import type { Episode, LifecycleHooks, Metrics, RunControl, TrainerState } from '../types/index.js';
import type { HookCalls, HookListener } from './hook-calls.js';

/** The hooks of one plugin. */
export interface PluginHooks {
  readonly plugin: string;
  readonly hooks: LifecycleHooks;
}

/** Calls everybody who listens at one point. */
type Told<Args extends readonly unknown[]> = (...args: Args) => Promise<void>;

/** A function of a plugin's hooks, bound to the object it belongs to. */
type HookOf<Args extends readonly unknown[]> = (
  hooks: LifecycleHooks,
) => ((...args: [...Args, RunControl]) => void | Promise<void>) | undefined;

const DONE: Promise<void> = Promise.resolve();
const nobodyListens = (): Promise<void> => DONE;

/**
 * The points of a run. At each, the backend's hook is called and then each plugin's, in the order in which plugins are named,
 * one after another.
 *
 * Who listens is found once, here: a point at which nobody does is one function that returns one promise, the same each time,
 * and no rollout is walked over for it.
 *
 * @throws RllmError HOOK_FAILED for a plugin's hook, unless `trainer.hooks.onError` has it be told only; BACKEND_FAILED for
 *   the backend's, unless it threw an RllmError itself.
 */
export class Lifecycle {
  readonly #backend: Backend;
  readonly #plugins: readonly PluginHooks[];
  readonly #calls: HookCalls;

  readonly trainStart: Told<[TrainerState]>;
  readonly trainEnd: Told<[TrainerState]>;
  readonly epochStart: Told<[TrainerState]>;
  readonly epochEnd: Told<[TrainerState]>;
  readonly batchStart: Told<[TrainerState]>;
  readonly batchEnd: Told<[TrainerState]>;
  readonly groups: Told<[TrainerState]>;
  readonly updateStart: Told<[TrainerState]>;
  readonly updateEnd: Told<[TrainerState]>;
  readonly validationEnd: Told<[TrainerState, Metrics]>;
  readonly checkpoint: Told<[TrainerState, string]>;
  /** Every rollout, of training and validation, in the batch's order once all have ended, so that hooks see one order. */
  readonly rolloutsEnd: Told<[readonly Episode[]]>;
  readonly #validationStart: Told<[TrainerState]>;

  constructor(backend: Backend, plugins: readonly PluginHooks[], calls: HookCalls) {
    this.#backend = backend;
    this.#plugins = plugins;
    this.#calls = calls;
    this.trainStart = this.#at('onTrainStart', (h) => h.onTrainStart?.bind(h), this.#own('onTrainStart'));
    this.trainEnd = this.#at('onTrainEnd', (h) => h.onTrainEnd?.bind(h), this.#own('onTrainEnd'), everyOne);
    this.epochStart = this.#at('onEpochStart', (h) => h.onEpochStart?.bind(h), this.#own('onEpochStart'));
    this.epochEnd = this.#at('onEpochEnd', (h) => h.onEpochEnd?.bind(h), this.#own('onEpochEnd'));
    this.batchStart = this.#at('onBatchStart', (h) => h.onBatchStart?.bind(h), this.#own('onBatchStart'));
    this.batchEnd = this.#at('onBatchEnd', (h) => h.onBatchEnd?.bind(h), this.#own('onBatchEnd'));
    this.groups = this.#at('onGroups', (h) => h.onGroups?.bind(h));
    this.updateStart = this.#at('onUpdateStart', (h) => h.onUpdateStart?.bind(h));
    this.updateEnd = this.#at('onUpdateEnd', (h) => h.onUpdateEnd?.bind(h));
    this.#validationStart = this.#at('onValidationStart', (h) => h.onValidationStart?.bind(h));
    this.validationEnd = this.#at(
      'onValidationEnd',
      (h) => h.onValidationEnd?.bind(h),
      this.#own('onValidationEnd'),
    );
    this.checkpoint = this.#at('onCheckpoint', (h) => h.onCheckpoint?.bind(h));
    const rolloutEnd = this.#at<[Episode]>('onRolloutEnd', (h) => h.onRolloutEnd?.bind(h));
    this.rolloutsEnd = rolloutEnd === nobodyListens ? nobodyListens : inOrder(rolloutEnd);
  }

  /** False when the backend wants to skip this validation; plugins are then not called. */
  async validationStart(state: TrainerState): Promise<boolean> {
    const backend = this.#backend;
    const goesOn = await this.#ofBackend('onValidationStart', () => backend.onValidationStart?.(state));
    if (goesOn === false) return false;
    await this.#validationStart(state);
    return true;
  }

  /**
   * @param own   the backend's hook at this point.
   * @param call  how one call after the other is made.
   */
  #at<Args extends readonly unknown[]>(
    hook: keyof LifecycleHooks,
    pick: HookOf<Args>,
    own?: Told<Args>,
    call: (calls: readonly (() => Promise<void>)[]) => Promise<void> = untilOneFails,
  ): Told<Args> {
    const listeners = this.#plugins.flatMap(({ plugin, hooks }): HookListener<Args>[] => {
      const run = pick(hooks);
      return run === undefined ? [] : [{ plugin, hook, run, failures: 0, isOff: false }];
    });
    if (listeners.length === 0) return own ?? nobodyListens;
    return (...args) =>
      call([
        async () => own?.(...args),
        ...listeners.map((listener) => () => this.#calls.call(listener, args)),
      ]);
  }

  /** The backend's hook, which no policy covers: whatever it throws ends the run. */
  #own(hook: keyof Backend & keyof LifecycleHooks): Told<[TrainerState, ...unknown[]]> | undefined {
    const backend = this.#backend;
    if (backend[hook] === undefined) return undefined;
    return async (state) => {
      await this.#ofBackend<unknown>(hook, () => backend[hook]?.(state));
    };
  }

  async #ofBackend<T>(
    hook: keyof Backend & keyof LifecycleHooks,
    call: () => Promise<T> | undefined,
  ): Promise<T | undefined> {
    try {
      return await awaitBackend(this.#backend, hook, call);
    } catch (cause) {
      if (RllmError.isInstance(cause)) throw cause;
      throw new RllmError(
        'BACKEND_FAILED',
        `The backend "${this.#backend.name}" failed in ${hook}: ${messageOf(cause)}`,
        { cause },
      );
    }
  }
}

async function untilOneFails(calls: readonly (() => Promise<void>)[]): Promise<void> {
  for (const call of calls) await call();
}

/** At the end of a run, where each has something to close: what failed is told when all were called. */
async function everyOne(calls: readonly (() => Promise<void>)[]): Promise<void> {
  const failures: unknown[] = [];
  for (const call of calls) await call().catch((thrown: unknown) => void failures.push(thrown));
  const [first, ...more] = failures;
  if (more.length === 0 || !RllmError.isInstance(first)) {
    if (first !== undefined) throw first;
    return;
  }
  throw new RllmError(first.code, failures.map(messageOf).join(' · '), {
    cause: first,
    details: first.details,
  });
}

function inOrder(rolloutEnd: Told<[Episode]>): Told<[readonly Episode[]]> {
  return async (episodes) => {
    for (const episode of episodes) await rolloutEnd(episode);
  };
}
