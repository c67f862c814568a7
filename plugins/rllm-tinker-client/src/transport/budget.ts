interface Waiter {
  readonly amount: number;
  readonly admit: () => void;
}

/** A bounded amount of something (open polls, bytes on their way) that callers take turns with, first come, first served. */
export class Budget {
  #limit: number;
  #used = 0;
  readonly #waiting: Waiter[] = [];

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** A smaller limit takes nothing from those who have it already. */
  set limit(limit: number) {
    this.#limit = limit;
    this.#admit();
  }

  /**
   * Waits until `amount` is free, and returns what gives it back. An amount above the limit is admitted when nothing else is out, so that
   * it is slow and not stuck.
   *
   * @throws the signal's reason when it aborts first.
   */
  async take(amount: number, signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    if (this.#waiting.length === 0 && this.#fits(amount)) this.#used += amount;
    else await this.#turn(amount, signal);
    let returned = false;
    return () => {
      if (returned) return;
      returned = true;
      this.#used -= amount;
      this.#admit();
    };
  }

  /** Waits behind those who wait already. */
  #turn(amount: number, signal: AbortSignal): Promise<void> {
    return new Promise<void>((resolve, reject) => {
      const onAbort = (): void => {
        this.#waiting.splice(this.#waiting.indexOf(waiter), 1);
        reject(signal.reason);
        this.#admit();
      };
      const waiter = {
        amount,
        admit: () => {
          signal.removeEventListener('abort', onAbort);
          resolve();
        },
      };
      signal.addEventListener('abort', onAbort, { once: true });
      this.#waiting.push(waiter);
    });
  }

  #fits(amount: number): boolean {
    return this.#used === 0 || this.#used + amount <= this.#limit;
  }

  #admit(): void {
    for (let next = this.#waiting[0]; next !== undefined; next = this.#waiting[0]) {
      if (!this.#fits(next.amount)) return;
      this.#waiting.shift();
      this.#used += next.amount;
      next.admit();
    }
  }
}
