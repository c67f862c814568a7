import { Worker } from 'node:worker_threads';
import { messageOf, RllmError } from '../../errors.js';
import { packRequests, unpackResults } from './sample-message.js';
import type { SampleRequest, SampleResult } from './sampler.js';
import type {
  WorkerCallName,
  WorkerCalls,
  WorkerReply,
  WorkerRequest,
  WorkerSetup,
} from './worker-protocol.js';

export interface WorkerThreadEvents {
  sampled(results: readonly SampleResult[]): void;
  /** The thread is lost; every call of it has been rejected with the same error. */
  failed(error: RllmError): void;
}

interface Pending {
  readonly resolve: (answer: never) => void;
  readonly reject: (error: RllmError) => void;
}

/** One worker thread with typed calls. It keeps the process alive only while something is asked of it. */
export class WorkerThread {
  private readonly worker: Worker;
  private readonly events: WorkerThreadEvents;
  private readonly pending = new Map<number, Pending>();
  private failure: RllmError | undefined;
  private nextCallId = 0;
  private awaitedSamples = 0;
  private isHeld = true;

  constructor(setup: WorkerSetup, events: WorkerThreadEvents) {
    this.events = events;
    // No flags of the program: some, like --input-type, are refused by workers.
    this.worker = new Worker(workerUrl(), { workerData: setup, name: 'rllm-local', execArgv: [] });
    this.worker.on('message', (reply: WorkerReply) => this.take(reply));
    this.worker.on('error', (cause) =>
      this.fail(failed(`a worker thread threw: ${messageOf(cause)}`, cause)),
    );
    this.worker.on('exit', (code) => this.fail(failed(`a worker thread ended with code ${code}`)));
    this.hold();
  }

  call<Name extends WorkerCallName>(
    kind: Name,
    ask: WorkerCalls[Name]['ask'],
  ): Promise<WorkerCalls[Name]['answer']> {
    if (this.failure !== undefined) return Promise.reject(this.failure);
    const callId = this.nextCallId++;
    return new Promise((resolve, reject) => {
      this.pending.set(callId, { resolve, reject });
      this.hold();
      this.worker.postMessage({ kind, callId, ask });
    });
  }

  /** The results come by `events.sampled`. */
  sample(requests: readonly SampleRequest[]): void {
    if (this.failure !== undefined) {
      this.events.failed(this.failure);
      return;
    }
    this.awaitedSamples += requests.length;
    this.hold();
    this.worker.postMessage({ kind: 'sample', requests: packRequests(requests) } satisfies WorkerRequest);
  }

  /** The result of an aborted request comes as any other does. */
  abort(id: number): void {
    this.worker.postMessage({ kind: 'abort', id } satisfies WorkerRequest);
  }

  async terminate(): Promise<void> {
    this.fail(failed('it was shut down'));
    await this.worker.terminate();
  }

  private take(reply: WorkerReply): void {
    switch (reply.kind) {
      case 'sampled':
        this.awaitedSamples -= reply.results.ids.length;
        this.hold();
        this.events.sampled(unpackResults(reply.results));
        break;
      case 'failed':
        this.fail(failed(messageOf(reply.error), reply.error));
        break;
      case 'answer': {
        const call = this.pending.get(reply.callId);
        this.pending.delete(reply.callId);
        this.hold();
        call?.resolve(reply.answer as never);
      }
    }
  }

  private fail(error: RllmError): void {
    if (this.failure !== undefined) return;
    this.failure = error;
    const calls = [...this.pending.values()];
    this.pending.clear();
    this.awaitedSamples = 0;
    this.hold();
    for (const { reject } of calls) reject(error);
    this.events.failed(error);
  }

  private hold(): void {
    const isNeeded = this.pending.size + this.awaitedSamples > 0;
    if (isNeeded === this.isHeld) return;
    this.isHeld = isNeeded;
    if (isNeeded) this.worker.ref();
    else this.worker.unref();
  }
}

/** A worker thread loads JavaScript only: where this module runs from its source, as in tests, the built worker is used. */
function workerUrl(): URL {
  const isSource = import.meta.url.endsWith('.ts');
  return new URL(isSource ? '../../../dist/backend/local/worker.js' : './worker.js', import.meta.url);
}

function failed(what: string, cause?: unknown): RllmError {
  return new RllmError('BACKEND_FAILED', `The local backend could not go on: ${what}.`, { cause });
}
