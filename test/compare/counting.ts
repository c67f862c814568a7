import type { Json } from '../../src/types/index.js';

/** An estimator with state: every advantage is the number of its batch, from 1. */
export class Counting {
  seen = 0;

  estimate({ rewards }: { readonly rewards: readonly Float64Array[] }) {
    this.seen += 1;
    return { advantages: rewards.map((row) => row.map(() => this.seen)) };
  }

  stateDict(): Json {
    return { seen: this.seen };
  }

  loadStateDict(state: Json): void {
    this.seen = (state as { seen: number }).seen;
  }
}
