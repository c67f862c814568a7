/** A token sequence under one set of weights: the sequence of its parent and one token more. Each is computed once. */
export interface Context {
  readonly parent: Context | undefined;
  readonly token: number;
  /** 0-based position of the token. */
  readonly position: number;
  readonly children: Map<number, Context>;
  /** Waits to be computed. */
  isQueued: boolean;
  /** Present once computed. */
  result: ContextResult | undefined;
}

export interface ContextResult {
  /** [layers·2·D] */
  readonly keysValues: Float32Array;
  /** Natural-log probabilities of the next token at temperature 1, [V]. */
  readonly logprobs: Float64Array;
  /** `cumulativeWeights` by temperature and top-p, as asked for. */
  readonly weights: Map<string, Float64Array>;
}

/**
 * All sequences computed under one set of weights, as a tree: rollouts that share a beginning share its cost.
 *
 * It forgets everything when it holds more than `capacity` contexts and `forgetIfFull` is called.
 */
export class ContextTree {
  private root = new Map<number, Context>();
  private count = 0;
  private readonly capacity: number;

  constructor(capacity: number) {
    this.capacity = capacity;
  }

  get size(): number {
    return this.count;
  }

  /** The context of `parent` and one token more; made if it is new. */
  child(parent: Context | undefined, token: number): Context {
    const siblings = parent?.children ?? this.root;
    let context = siblings.get(token);
    if (context === undefined) {
      const position = parent === undefined ? 0 : parent.position + 1;
      context = { parent, token, position, children: new Map(), isQueued: false, result: undefined };
      siblings.set(token, context);
      this.count++;
    }
    return context;
  }

  forgetIfFull(): void {
    if (this.count > this.capacity) this.forget();
  }

  forget(): void {
    this.root = new Map();
    this.count = 0;
  }
}
