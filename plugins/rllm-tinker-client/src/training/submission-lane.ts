import { messageOf, TinkerError } from '../errors.js';

/**
 * The order in which the requests of one model are submitted: one at a time, as they were asked for, each under the next sequence number.
 * Engines execute by that number (hosted) or by arrival (tx), so both must agree.
 */
export class SubmissionLane {
  /** The model's creation counts as 0. */
  #next = 1;
  readonly #waiting: (() => Promise<void>)[] = [];
  #running = false;
  #epoch = 0;
  #failure: unknown;
  #broken: TinkerError | undefined;

  /**
   * Runs `submit` in its turn. It takes a sequence number for each request right before sending it, and reports by `accepted` that the
   * engine took it. When it throws, all that was asked for before that moment and not yet sent fails with NOT_SUBMITTED: an optimizer step
   * whose gradients never arrived must not run. When it is not known whether the engine took the request, or it took a part of it,
   * nothing can follow on this model, and all later calls fail so.
   */
  run<T>(submit: (turn: Turn) => Promise<T>): Promise<T> {
    const epoch = this.#epoch;
    return new Promise<T>((resolve, reject) => {
      this.#waiting.push(async () => {
        try {
          this.#check(epoch);
          resolve(await this.#take(submit));
        } catch (thrown) {
          reject(thrown);
        }
      });
      void this.#drain();
    });
  }

  #check(epoch: number): void {
    if (this.#broken !== undefined) throw this.#broken;
    if (epoch === this.#epoch) return;
    throw new TinkerError(
      'NOT_SUBMITTED',
      `Not sent, since an earlier request of this model was not: ${messageOf(this.#failure)}`,
      {
        cause: this.#failure,
      },
    );
  }

  async #take<T>(submit: (turn: Turn) => Promise<T>): Promise<T> {
    const first = this.#next;
    let open = false;
    const turn: Turn = {
      seqId: () => {
        open = true;
        return this.#next;
      },
      accepted: () => {
        open = false;
        this.#next++;
      },
      refused: () => {
        open = false;
      },
    };
    try {
      return await submit(turn);
    } catch (thrown) {
      this.#epoch++;
      this.#failure = thrown;
      if (open || this.#next > first) {
        const what = open ? 'may or may not have arrived' : 'arrived in part';
        this.#broken = new TinkerError(
          'NOT_SUBMITTED',
          `Nothing more can be sent for this model, since an earlier request ${what}: ${messageOf(thrown)}. Go on from a checkpoint.`,
          { cause: thrown },
        );
      }
      throw thrown;
    }
  }

  async #drain(): Promise<void> {
    if (this.#running) return;
    this.#running = true;
    // Calls made in the same breath are all in the queue before the first of them can fail.
    await Promise.resolve();
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) await next();
    this.#running = false;
  }
}

/** What a submission does with its place in the order. */
export interface Turn {
  /** The number to send under. */
  seqId(): number;
  /** The engine took it: the next request has the next number. */
  accepted(): void;
  /** The engine certainly did not take it: the number is free again. */
  refused(): void;
}
