import type { SessionCore } from '../client-core.js';
import { TinkerError } from '../errors.js';
import { ApiFuture } from '../futures/api-future.js';
import { type AcceptedCall, awaitResult } from '../futures/await-result.js';
import type { HttpAnswer } from '../transport/http-answer.js';
import type { HttpRequest } from '../transport/http-transport.js';
import { type SubmitRules, submit } from '../transport/submit.js';
import { requestIdOf } from '../wire/request-id.js';
import { SubmissionLane, type Turn } from './submission-lane.js';

/** One call of a model: checked and encoded when it is made, sent in its turn. */
export interface ModelCall<T> {
  /** The protocol's name of its kind, such as `OptimStep`. */
  readonly type: string;
  /** Default json. */
  readonly accept?: 'json' | 'protobuf';
  /** Checks the input and encodes it, as one request or several; each is given its body once its turn is known. */
  readonly encode: () => readonly ((modelId: string, seqId: number) => HttpRequest)[];
  readonly decode: (answers: readonly HttpAnswer[]) => T;
  /** True when being executed twice changes nothing. */
  readonly isHarmless?: boolean;
  /**
   * For saves: what to do when a retry finds the name taken, that is, when the first attempt had arrived. `done` has the result, `renamed`
   * makes the same request under another name.
   */
  readonly onTaken?:
    | { readonly done: () => T }
    | { readonly renamed: () => (modelId: string, seqId: number) => HttpRequest };
}

/** Thrown out of a submission that needs no polling, with the result; never leaves this file. */
class AlreadyDone<T> {
  readonly result: T;

  constructor(result: T) {
    this.result = result;
  }
}

/** Submits the calls of one model in order and collects their results apart. */
export class ModelCalls {
  readonly #core: SessionCore;
  readonly #modelId: string;
  readonly #lane = new SubmissionLane();

  constructor(core: SessionCore, modelId: string) {
    this.#core = core;
    this.#modelId = modelId;
  }

  start<T>(call: ModelCall<T>, signal: AbortSignal | undefined): ApiFuture<T> {
    const core = this.#core;
    return ApiFuture.start(core.lifetime, signal, async (scope, onSubmitted) => {
      const encoded = attempt(call.encode);
      const accepted = await this.#lane.run((turn) => {
        scope.signal.throwIfAborted();
        return this.#submit(call, encoded(), turn, scope.signal);
      });
      onSubmitted();
      if (accepted instanceof AlreadyDone) return accepted.result;
      return call.decode(await Promise.all(accepted.map((one) => awaitResult(core, one, scope.signal))));
    });
  }

  async #submit<T>(
    call: ModelCall<T>,
    encoded: ReturnType<ModelCall<T>['encode']>,
    turn: Turn,
    caller: AbortSignal,
  ): Promise<readonly AcceptedCall[] | AlreadyDone<T>> {
    const accepted: AcceptedCall[] = [];
    for (const encode of encoded) {
      const one = await this.#submitOne(call, encode, turn, caller);
      if (one instanceof AlreadyDone) return one;
      accepted.push(one);
    }
    return accepted;
  }

  async #submitOne<T>(
    call: ModelCall<T>,
    encode: (modelId: string, seqId: number) => HttpRequest,
    turn: Turn,
    caller: AbortSignal,
  ): Promise<AcceptedCall | AlreadyDone<T>> {
    const { clock, engine } = this.#core;
    const start = clock.now();
    const seqId = turn.seqId();
    const request = encode(this.#modelId, seqId);
    let isOpen = false;
    const answer = await this.#send(request, {
      conflict:
        call.onTaken !== undefined ? 'done-on-retry' : engine.conflictIsTransient ? 'transient' : 'fatal',
      repeatable: engine.deduplicates || call.isHarmless === true || call.onTaken !== undefined,
      // The attempt under way is not cut off by the caller: whether it arrived must be known, or nothing could follow.
      stopped: () => caller.aborted,
      onUncertain: () => {
        isOpen = true;
      },
    }).catch((failure: unknown) => {
      if (isRefusal(failure) || !(isOpen || isClosed(failure))) turn.refused();
      throw failure;
    });
    if (answer.status === 409 && call.onTaken !== undefined) {
      if ('renamed' in call.onTaken) return this.#submitOne(call, call.onTaken.renamed(), turn, caller);
      turn.accepted();
      return new AlreadyDone(call.onTaken.done());
    }
    turn.accepted();
    return {
      requestId: requestIdOf(answer),
      type: call.type,
      accept: call.accept ?? 'json',
      submitMs: clock.now() - start,
      resubmit: async () => requestIdOf(await this.#send(request, {})),
    };
  }

  #send(request: HttpRequest, rules: SubmitRules): Promise<HttpAnswer> {
    return this.#core.lifetime.within(undefined, (scope) => submit(this.#core, request, scope.signal, rules));
  }
}

/** An answer which says that the engine did not take the request. */
function isRefusal(failure: unknown): boolean {
  const status = TinkerError.isInstance(failure) ? failure.status : undefined;
  return status !== undefined && status >= 400 && status < 500 && status !== 408;
}

function isClosed(failure: unknown): boolean {
  return TinkerError.isInstance(failure) && failure.code === 'CLOSED';
}

/** What `run` gives or throws, kept for later. */
function attempt<T>(run: () => T): () => T {
  try {
    const value = run();
    return () => value;
  } catch (thrown) {
    return () => {
      throw thrown;
    };
  }
}
