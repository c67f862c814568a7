import type { RolloutConfig, WorkflowConfig } from '../config/types.js';
import { RllmError } from '../errors.js';
import { suggestion } from '../nearest.js';
import { type ChosenReward, scoreEpisode } from '../reward/index.js';
import { type RolloutEngine, resolveSampling, type SamplingParams } from '../rollout/index.js';
import {
  copyPlain,
  type Episode,
  type Message,
  type ModelOutput,
  TERMINATION_REASONS,
  type TerminationReason,
} from '../types/index.js';
import { type DraftEpisode, draftEpisode, type Ending } from './assemble-episode.js';
import { checkModelCall } from './check-model-call.js';
import type { Clock } from './clock.js';
import { errorRecord } from './error-record.js';
import { finishEpisode, isCorrectByRewards } from './postprocess-episode.js';
import { Recorder, type Recording } from './recorder.js';
import { type AttemptIdentity, nameRollout } from './rollout-request.js';
import { TerminationEvent } from './termination-event.js';
import type { WorkflowContext, WorkflowDefinition } from './workflow.js';

/** What all attempts of an engine share. */
export interface AttemptParts {
  readonly workflow: WorkflowDefinition;
  readonly options: unknown;
  readonly rolloutEngine: RolloutEngine;
  readonly config: WorkflowConfig;
  readonly rollout: RolloutConfig;
  readonly clock: Clock;
  /** What judges a rollout once its workflow has ended, in order; none leaves rewards to the workflow. */
  readonly rewards?: readonly ChosenReward[];
}

/** How an attempt came out. */
export interface AttemptResult {
  readonly episode: Episode;
  /** Number of this attempt. */
  readonly attempt: number;
  /** What the workflow threw, where the episode's reason is `error`. */
  readonly thrown: unknown;
}

/** Agents' model calls are numbered apart by this much; see `CallIdentity.call`. */
const CALLS_PER_LANE = 2 ** 16;

const NOTHING: Recording = { trajectories: [], metrics: {}, metricRules: {} };

/**
 * One attempt of one rollout. It ends once: when the workflow returns or throws, at the deadline, or when the run stops.
 * Reward functions, where there are any, judge what a workflow leaves that has ended neither by an error nor by a timeout; they
 * belong to the attempt, and what they throw fails it.
 *
 * What the workflow has recorded is copied at the instant at which it ends. A workflow that ignores its signal is left to itself: its model calls
 * are refused, and what it commits is dropped.
 */
export class Attempt {
  readonly #parts: AttemptParts;
  readonly #identity: AttemptIdentity;
  readonly #ownController: AbortController | undefined;
  readonly #signal: AbortSignal;
  readonly #recorder: Recorder;
  #abortReason: DOMException | undefined;
  #cancelDeadline: (() => void) | undefined;
  #settle: ((result: AttemptResult) => void) | undefined;
  #recording: Recording | undefined;
  #isOver = false;

  /** @param runSignal  fires when the run stops; the attempt's own signal where there is no deadline. */
  constructor(parts: AttemptParts, identity: AttemptIdentity, runSignal: AbortSignal) {
    this.#parts = parts;
    this.#identity = identity;
    // A signal of its own costs microseconds, so an attempt without a deadline shares the run's.
    this.#ownController = parts.config.timeoutMs === null ? undefined : new AbortController();
    this.#signal = this.#ownController?.signal ?? runSignal;
    const { mode, step, request, attempt } = identity;
    const prefix = `${mode}/${step}/${request.taskId}:${request.rolloutIndex}/${attempt}`;
    this.#recorder = new Recorder(prefix, (lane, turn, messages, sampling) =>
      this.#callModel(lane * CALLS_PER_LANE + turn, messages, sampling),
    );
  }

  /** Never rejects. */
  run(): Promise<AttemptResult> {
    return new Promise((settle) => {
      this.#settle = settle;
      const { clock, config } = this.#parts;
      if (config.timeoutMs !== null) {
        this.#cancelDeadline = clock.after(config.timeoutMs, () => this.#expire(config.timeoutMs));
      }
      this.#invoke().then(
        (value) => this.#judge({ kind: 'returned', value }),
        (thrown: unknown) => this.#judge({ kind: 'threw', thrown }),
      );
    });
  }

  /** Ends the attempt because the run stops. */
  stop(): void {
    this.#abort('AbortError', 'The run was stopped.');
    this.#end({ kind: 'stopped' });
  }

  async #invoke(): Promise<unknown> {
    return this.#parts.workflow.run(copyPlain(this.#identity.request.task), this.#context());
  }

  #expire(timeoutMs: number | null): void {
    this.#abort('TimeoutError', `The rollout took longer than ${timeoutMs} ms.`);
    this.#end({ kind: 'deadline' });
  }

  /** The workflow has ended: its rewards come next, where reward functions give them. */
  #judge(ending: Ending): void {
    const { rewards = [] } = this.#parts;
    if (this.#isOver || rewards.length === 0) this.#end(ending);
    else {
      this.#rewarded(ending, rewards).then(
        (draft) => this.#end(ending, draft),
        (thrown: unknown) => this.#end({ kind: 'threw', thrown }),
      );
    }
  }

  async #rewarded(ending: Ending, rewards: readonly ChosenReward[]): Promise<DraftEpisode> {
    const draft = draftEpisode(ending, this.#record(), this.#identity);
    const { episode, isCorrect } = draft;
    const { terminationReason: reason } = episode;
    if (reason === 'error' || reason === 'timeout') return draft;
    const seen = { ...episode, isCorrect: isCorrect ?? isCorrectByRewards(episode) };
    const { task } = this.#identity.request;
    return { episode: await scoreEpisode(seen, task, rewards, this.#signal), isCorrect };
  }

  /** @param draft  what the ending came to, where that is known. */
  #end(ending: Ending, draft?: DraftEpisode): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#cancelDeadline?.();
    this.#settle?.(this.#resultOf(ending, draft));
  }

  #resultOf(ending: Ending, draft?: DraftEpisode): AttemptResult {
    let recording = NOTHING;
    try {
      recording = this.#record();
      return this.#finish(ending, draft ?? draftEpisode(ending, recording, this.#identity));
    } catch (thrown) {
      return this.#failed({ kind: 'threw', thrown }, recording);
    }
  }

  /** The result of an attempt that cannot be assembled; without its trajectories, where it is they that cannot be. */
  #failed(ending: Ending, recording: Recording): AttemptResult {
    try {
      return this.#finish(ending, draftEpisode(ending, recording, this.#identity));
    } catch {
      const rest = { ...recording, trajectories: [] };
      return this.#finish(ending, draftEpisode(ending, rest, this.#identity));
    }
  }

  #record(): Recording {
    this.#recording ??= this.#recorder.close();
    return this.#recording;
  }

  #finish(ending: Ending, { episode, isCorrect }: DraftEpisode): AttemptResult {
    const thrown = ending.kind === 'threw' ? ending.thrown : undefined;
    const { attempt } = this.#identity;
    return { episode: finishEpisode(episode, isCorrect, this.#parts.config), attempt, thrown };
  }

  #abort(name: 'AbortError' | 'TimeoutError', message: string): void {
    if (this.#isOver) return;
    this.#abortReason = new DOMException(message, name);
    this.#ownController?.abort(this.#abortReason);
  }

  #context(): WorkflowContext {
    const { request, mode, step, attempt } = this.#identity;
    const recorder = this.#recorder;
    let bareCall: ReturnType<Recorder['openLane']> | undefined;
    return {
      taskId: request.taskId,
      rolloutIndex: request.rolloutIndex,
      attempt,
      mode,
      step,
      options: this.#parts.options,
      signal: this.#signal,
      agent: (role, messages) => recorder.agent(role, messages),
      model: (messages, sampling) => {
        bareCall ??= recorder.openLane();
        return bareCall(copyPlain(messages), sampling);
      },
      commit: (trajectory, options) => recorder.commit(trajectory, options?.allowEmpty ?? false),
      terminate,
      metric: (name, value, rule = 'mean') => recorder.metric(name, value, rule),
    };
  }

  async #callModel(
    call: number,
    messages: readonly Message[],
    sampling: SamplingParams | undefined,
  ): Promise<ModelOutput> {
    if (this.#hasEnded) throw this.#lateError();
    const { request, mode, step, attempt } = this.#identity;
    const { taskId, rolloutIndex } = request;
    checkModelCall(`A model call of ${nameRollout(request)}`, messages, sampling);
    const asked = resolveSampling(this.#parts.rollout[mode], sampling);
    let output: ModelOutput;
    try {
      output = await this.#parts.rolloutEngine.getModelResponse({
        messages,
        sampling: request.greedy === true ? { ...asked, temperature: 0 } : asked,
        identity: { mode, step, taskId, rolloutIndex, attempt, call },
        signal: this.#signal,
      });
    } catch (thrown) {
      if (this.#hasEnded) throw this.#lateError();
      if (RllmError.isInstance(thrown)) throw thrown;
      throw new RllmError(
        'ROLLOUT_FAILED',
        `A model call of ${nameRollout(request)} failed: ${errorRecord(thrown).message}`,
        { cause: thrown, details: { taskId, rolloutIndex, attempt, call } },
      );
    }
    if (this.#hasEnded) throw this.#lateError();
    return output;
  }

  /** Whether the workflow has nothing more to say. */
  get #hasEnded(): boolean {
    return this.#isOver || this.#recording !== undefined;
  }

  #lateError(): RllmError {
    const message = `A model call came after the end of ${nameRollout(this.#identity.request)}.`;
    return new RllmError('ABORTED', message, { cause: this.#abortReason });
  }
}

function terminate(reason: TerminationReason): never {
  if (TERMINATION_REASONS.includes(reason)) throw new TerminationEvent(reason);
  throw new RllmError(
    'WORKFLOW_FAILED',
    `terminate was given the unknown reason "${reason}". ${suggestion(reason, TERMINATION_REASONS)}`,
  );
}
