/** Runs jobs, oldest first, at most `size` at once. A job must not reject. */
export class Pool {
  readonly #size: number;
  #queue: (() => Promise<void>)[] = [];
  #head = 0;
  #running = 0;

  constructor(size: number) {
    this.#size = size;
  }

  add(job: () => Promise<void>): void {
    this.#queue.push(job);
    this.#fill();
  }

  #fill(): void {
    while (this.#running < this.#size && this.#head < this.#queue.length) {
      const job = this.#queue[this.#head++];
      if (job === undefined) continue;
      this.#running++;
      void job().then(this.#release);
    }
    if (this.#head === this.#queue.length) {
      this.#queue = [];
      this.#head = 0;
    }
  }

  readonly #release = (): void => {
    this.#running--;
    this.#fill();
  };
}
