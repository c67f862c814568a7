import { setMaxListeners } from 'node:events';
import { nameOf } from '../attribute.js';
import { RllmError } from '../errors.js';
import type { Logger } from '../logger.js';
import { nextTurn } from '../next-turn.js';
import type { Episode } from '../types/index.js';
import type { AttemptParts, AttemptResult } from './attempt.js';
import { errorRecord } from './error-record.js';
import type { Pool } from './pool.js';
import { nameRollout, type RolloutRequest } from './rollout-request.js';
import { type RunControl, runRollout } from './run-rollout.js';

/** What a batch of rollouts is run with. */
export interface BatchSettings {
  readonly mode: 'train' | 'val';
  /** Training step at hand; 0 before the first. */
  readonly step: number;
  /** Stops the batch at once. */
  readonly signal?: AbortSignal;
  /** Called as each rollout ends, in the order in which they end. A promise is awaited; what it throws stops the batch. */
  onEpisode?(episode: Episode, done: number, total: number): void | Promise<void>;
}

export interface BatchParts extends AttemptParts {
  /** Who brought the workflow. */
  readonly owner?: string | undefined;
  readonly pool: Pool;
  readonly logger: Logger;
  readonly seed: number;
}

/** Rollouts that begin in one turn of the event loop: a few milliseconds' worth. */
const SLICE = 64;

interface Ended {
  readonly request: RolloutRequest;
  readonly result: AttemptResult;
}

/** The rollouts of one call of `executeTasks`. */
export class RolloutBatch {
  readonly #parts: BatchParts;
  readonly #settings: BatchSettings;
  readonly #requests: readonly RolloutRequest[];
  readonly #controller = new AbortController();
  readonly #control: RunControl = { signal: this.#controller.signal, running: new Set() };
  /** By position in the requests, so that nothing depends on which rollout was faster. */
  readonly #ended: (Ended | undefined)[];
  #done = 0;
  #left: number;
  #startsNoMore = false;
  #resolve: ((episodes: Episode[]) => void) | undefined;
  #reject: ((error: unknown) => void) | undefined;

  constructor(parts: BatchParts, requests: readonly RolloutRequest[], settings: BatchSettings) {
    this.#parts = parts;
    this.#requests = requests;
    this.#settings = settings;
    this.#ended = new Array<undefined>(requests.length).fill(undefined);
    this.#left = requests.length;
    // Without a deadline all rollouts share this signal, and each may listen to it.
    setMaxListeners(0, this.#control.signal);
  }

  async run(): Promise<Episode[]> {
    const { signal } = this.#settings;
    const onAbort = (): void => this.abort(signal?.reason);
    try {
      return await new Promise<Episode[]>((resolve, reject) => {
        this.#resolve = resolve;
        this.#reject = reject;
        if (signal?.aborted) onAbort();
        signal?.addEventListener('abort', onAbort, { once: true });
        if (this.#left === 0) resolve([]);
        void this.#start();
      });
    } finally {
      signal?.removeEventListener('abort', onAbort);
    }
  }

  /** Queues the rollouts, a slice in each turn of the event loop. */
  async #start(): Promise<void> {
    for (const [index, request] of this.#requests.entries()) {
      if (index > 0 && index % SLICE === 0) await nextTurn();
      this.#parts.pool.add(() => this.#job(request, index));
    }
  }

  /** Stops everything now: `run` rejects with ABORTED, whether or not the workflows heed their signal. */
  abort(cause: unknown): void {
    const message = `The rollouts were stopped; ${this.#done} of ${this.#requests.length} had ended.`;
    this.#stop(new RllmError('ABORTED', message, { cause }));
  }

  #stop(error: unknown): void {
    this.#startsNoMore = true;
    this.#reject?.(error);
    this.#controller.abort(error);
    for (const one of [...this.#control.running]) one.stop();
  }

  async #job(request: RolloutRequest, index: number): Promise<void> {
    try {
      if (!this.#startsNoMore) {
        const { mode, step } = this.#settings;
        const rollout = { workflow: this.#parts.workflow.name, mode, step, request };
        const result = await runRollout(this.#parts, rollout, this.#control);
        if (!this.#control.signal.aborted) await this.#record(request, index, result);
      }
    } catch (thrown) {
      this.#stop(thrown);
    }
    this.#left--;
    if (this.#left > 0) return;
    try {
      this.#finish();
    } catch (thrown) {
      this.#reject?.(thrown);
    }
  }

  #record(request: RolloutRequest, index: number, result: AttemptResult): void | Promise<void> {
    const { episode } = result;
    this.#ended[index] = { request, result };
    this.#done++;
    if (episode.terminationReason === 'error' && this.#parts.config.raiseOnError) this.#startsNoMore = true;
    return this.#settings.onEpisode?.(episode, this.#done, this.#requests.length);
  }

  #finish(): void {
    if (this.#control.signal.aborted) return;
    const ended = this.#ended.filter((one) => one !== undefined);
    const failed = ended.filter(({ result: { episode } }) => episode.terminationReason === 'error');
    const [first] = failed;
    if (first !== undefined && this.#parts.config.raiseOnError) {
      this.#reject?.(this.#failure(first, ended));
      return;
    }
    this.#warn('failed', failed, ({ result }) => errorRecord(result.thrown).message);
    const empty = ended.filter(
      ({ result: { episode } }) =>
        episode.terminationReason === 'unknown' && episode.trajectories.length === 0,
    );
    this.#warn('recorded nothing', empty, () => 'no agent made a step and nothing was committed');
    this.#resolve?.(episodesOf(ended));
  }

  /** Told of the workflow, or of what judged it: then with the code of that. */
  #failure({ request, result }: Ended, ended: readonly Ended[]): RllmError {
    const { attempt: attempts, thrown } = result;
    const { taskId, rolloutIndex } = request;
    const tries = attempts === 1 ? 'its only attempt' : `the last of ${attempts} attempts`;
    const reason = errorRecord(thrown).message;
    const isReward = RllmError.isInstance(thrown) && thrown.code.startsWith('REWARD_');
    const what = isReward ? 'Rewards failed' : `${this.#who} failed`;
    return new RllmError(
      isReward ? thrown.code : 'WORKFLOW_FAILED',
      `${what} in ${nameRollout(request)}, at ${tries}: ${reason}`,
      { cause: thrown, details: { taskId, rolloutIndex, attempts, episodes: episodesOf(ended) } },
    );
  }

  get #who(): string {
    const { workflow, owner } = this.#parts;
    return nameOf({ what: `workflow "${workflow.name}"`, owner });
  }

  #warn(what: string, cases: readonly Ended[], reason: (one: Ended) => string): void {
    const [first] = cases;
    if (first === undefined) return;
    this.#parts.logger.warn(
      `${cases.length} of ${this.#requests.length} rollouts ${what}; the first is ${nameRollout(first.request)}: ${reason(first)}`,
    );
  }
}

function episodesOf(ended: readonly Ended[]): Episode[] {
  return ended.map(({ result }) => result.episode);
}
