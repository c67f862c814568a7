import { type Random, stream } from '../../random.js';
import { type Context, type ContextResult, ContextTree } from './context-tree.js';
import { createDecodeProgram, type DecodeProgram } from './decode-program.js';
import { createEmbedding, type Embedding } from './embedding.js';
import type { ModelShape } from './model-shape.js';
import { cumulativeWeights, drawToken, logSoftmax, type TokenChoice } from './sample-token.js';
import type { Weights } from './transformer.js';

/** One completion to sample. */
export interface SampleRequest {
  readonly id: number;
  readonly prompt: readonly number[];
  readonly maxTokens: number;
  readonly temperature: number;
  readonly topP: number;
  readonly stop: readonly string[];
  /** Names the stream of random numbers of this completion. */
  readonly path: string;
}

export interface SampleResult {
  readonly id: number;
  readonly tokens: readonly number[];
  readonly logprobs: readonly number[];
  readonly finishReason: 'stop' | 'length' | 'abort';
  /** Of the weights at the first token. */
  readonly weightVersion: number;
}

export interface SamplerOptions {
  readonly shape: ModelShape;
  readonly seed: number;
  readonly endOfTurn: number | undefined;
  readonly decodeText: (ids: readonly number[]) => string;
}

/** Rows of a decode step. A small and a large shape, so that a lone request is not as slow as many. */
const ROW_COUNTS = [16, 64] as const;
/** Floats that the context tree may hold: 128 MB. */
const TREE_FLOATS = 2 ** 25;

/**
 * Samples many completions at once. Each `advance` computes up to 64 contexts, one token each, of whatever sequences wait for one; sequences
 * that share a beginning share its contexts. A result depends on its request and the weights alone.
 */
export class Sampler {
  private readonly options: SamplerOptions;
  private readonly decode: DecodeProgram;
  private readonly embedding: Embedding;
  private readonly tree: ContextTree;
  private readonly active = new Map<number, Cursor>();
  private queue: Context[] = [];
  private finished: SampleResult[] = [];
  private weights: Weights | undefined;
  private flatWeights = new Float32Array();
  private version = 0;

  constructor(options: SamplerOptions) {
    const { shape } = options;
    this.options = options;
    this.decode = createDecodeProgram(shape);
    this.embedding = createEmbedding(shape);
    this.tree = new ContextTree(
      Math.floor(TREE_FLOATS / (shape.nLayers * 2 * shape.dModel + 2 * shape.vocabularySize)),
    );
  }

  /** Goes on with other weights; running completions read their tokens so far again. */
  useWeights(weights: Weights, flatWeights: Float32Array<ArrayBuffer>, version: number): void {
    this.weights = weights;
    this.flatWeights = flatWeights;
    this.version = version;
    this.restart();
  }

  add(request: SampleRequest): void {
    if (this.active.size === 0) this.tree.forgetIfFull();
    this.active.set(request.id, {
      request,
      random: stream(this.options.seed, 'sample', request.path),
      sequence: [...request.prompt],
      logprobs: [],
      context: undefined,
      read: 0,
      weightVersion: this.version,
    });
  }

  abort(id: number): void {
    const cursor = this.active.get(id);
    if (cursor !== undefined) this.finish(cursor, 'abort');
  }

  /** True when nothing is asked and nothing is left to hand over. */
  get isIdle(): boolean {
    return this.active.size === 0 && this.finished.length === 0;
  }

  /** Computes one step for the sequences that wait, and returns the completions that are ready. */
  advance(): SampleResult[] {
    for (const cursor of this.active.values()) this.follow(cursor);
    if (this.queue.length > 0) {
      this.compute(this.queue.splice(0, ROW_COUNTS.at(-1)));
      for (const cursor of this.active.values()) this.follow(cursor);
    }
    const finished = this.finished;
    this.finished = [];
    return finished;
  }

  /** Compiles what sequences of up to `depth` tokens need, before it is needed. */
  warmUp(depth: number): void {
    const length = placesFor(depth - 1);
    for (const rows of ROW_COUNTS) this.run(new Array<Context>(rows).fill(BLANK), rows, length);
  }

  /** Moves a completion on through contexts that are computed, sampling where its sequence ends. */
  private follow(cursor: Cursor): void {
    for (;;) {
      while (cursor.read < cursor.sequence.length) {
        const next = this.tree.child(cursor.context, cursor.sequence[cursor.read] as number);
        if (next.result === undefined) {
          if (!next.isQueued) this.queue.push(next);
          next.isQueued = true;
          return;
        }
        cursor.context = next;
        cursor.read++;
      }
      const result = cursor.context?.result;
      if (result === undefined) throw new Error('internal: a completion needs a prompt');
      const { logprobs } = result;
      const token = drawToken(weightsOf(result, cursor.request), cursor.random);
      cursor.sequence.push(token);
      cursor.logprobs.push(logprobs[token] as number);
      const reason = this.finishReason(cursor, token);
      if (reason !== undefined) {
        this.finish(cursor, reason);
        return;
      }
    }
  }

  private finishReason({ request, sequence }: Cursor, token: number): 'stop' | 'length' | undefined {
    if (token === this.options.endOfTurn) return 'stop';
    const { prompt, stop, maxTokens } = request;
    if (stop.length > 0) {
      const text = this.options.decodeText(sequence.slice(prompt.length));
      if (stop.some((end) => text.includes(end))) return 'stop';
    }
    return sequence.length - prompt.length >= maxTokens ? 'length' : undefined;
  }

  private finish(
    { request, sequence, logprobs, weightVersion }: Cursor,
    finishReason: SampleResult['finishReason'],
  ): void {
    this.active.delete(request.id);
    this.finished.push({
      id: request.id,
      tokens: sequence.slice(request.prompt.length),
      logprobs,
      finishReason,
      weightVersion,
    });
  }

  private restart(): void {
    this.tree.forget();
    this.queue = [];
    for (const cursor of this.active.values()) {
      cursor.context = undefined;
      cursor.read = 0;
    }
  }

  private compute(contexts: readonly Context[]): void {
    const rows = ROW_COUNTS.find((count) => count >= contexts.length) ?? ROW_COUNTS[1];
    const results = this.run(
      contexts,
      rows,
      placesFor(Math.max(...contexts.map(({ position }) => position))),
    );
    for (const [i, context] of contexts.entries()) {
      context.result = results[i];
      context.isQueued = false;
    }
  }

  private run(contexts: readonly Context[], rows: number, length: number): ContextResult[] {
    const { weights, options } = this;
    if (weights === undefined) throw new Error('internal: the sampler has no weights');
    const { dModel, nLayers, vocabularySize } = options.shape;
    const width = nLayers * 2 * dModel;
    const tokens = new Int32Array(rows).fill(-1);
    const pastLengths = new Int32Array(rows);
    const past = new Float32Array(rows * length * width);
    for (const [row, context] of contexts.entries()) {
      tokens[row] = context.token;
      pastLengths[row] = context.position;
      for (let at = context.parent; at !== undefined; at = at.parent) {
        if (at.result !== undefined) past.set(at.result.keysValues, (row * length + at.position) * width);
      }
    }
    const embedded = new Float32Array(rows * dModel);
    this.embedding.lookUp(this.flatWeights, tokens, pastLengths, embedded);
    const { logits, keysValues } = this.decode(weights, { rows, length, embedded, past, pastLengths });
    return contexts.map((_, row) => ({
      keysValues: keysValues.slice(row * width, (row + 1) * width),
      logprobs: logSoftmax(logits.subarray(row * vocabularySize, (row + 1) * vocabularySize)),
      weights: new Map(),
    }));
  }
}

/** The weights by which a context's next token is drawn, worked out once for all completions that ask alike. */
function weightsOf({ logprobs, weights }: ContextResult, choice: TokenChoice): Float64Array {
  const key = `${choice.temperature} ${choice.topP}`;
  let found = weights.get(key);
  if (found === undefined) {
    found = cumulativeWeights(logprobs, choice);
    weights.set(key, found);
  }
  return found;
}

/** Places of a decode step for this many earlier tokens: a power of two, so that few shapes are compiled. */
function placesFor(earlier: number): number {
  let places = 8;
  while (places < earlier) places *= 2;
  return places;
}

/** A completion on its way. */
interface Cursor {
  readonly request: SampleRequest;
  readonly random: Random;
  /** Prompt and completion so far. */
  readonly sequence: number[];
  readonly logprobs: number[];
  /** The context of the first `read` tokens. */
  context: Context | undefined;
  read: number;
  readonly weightVersion: number;
}

const BLANK: Context = {
  parent: undefined,
  token: 0,
  position: 0,
  children: new Map(),
  isQueued: false,
  result: undefined,
};
