import { randomBytes } from 'node:crypto';
import type { BigramModel, BigramState } from './bigram-model.js';
import type { FakeResult } from './fake-futures.js';
import type { FakeModel } from './fake-model.js';
import { type FakeReply, ok, refuse } from './fake-reply.js';
import { writeSampleResult } from './protobuf-messages.js';
import { sampleTokens, type WireSampling } from './sample-tokens.js';
import type { WireDatum, WireSampleResult } from './wire-types.js';

type Body = Readonly<Record<string, unknown>>;

interface Sampler {
  readonly model: FakeModel | undefined;
  readonly name: string;
}

/** What the samplers take from the engine around them. */
export interface FakeSamplersOptions {
  readonly isTx: boolean;
  readonly baseModel: string;
  readonly models: ReadonlyMap<string, FakeModel>;
  /** A table with the base model's weights. */
  readonly newTable: () => BigramModel;
  /** Keeps a result to be polled for, and answers with its id. */
  readonly accept: (result: FakeResult) => FakeReply;
}

/** The sampling sessions of the fake engine. */
export class FakeSamplers {
  readonly #options: FakeSamplersOptions;
  readonly #base: BigramModel;
  readonly #samplers = new Map<string, Sampler>();
  /** Of saved weights, which never change. */
  readonly #tables = new WeakMap<BigramState, BigramModel>();

  constructor(options: FakeSamplersOptions) {
    this.#options = options;
    this.#base = options.newTable();
  }

  add(sampler: Sampler): string {
    const id = this.#options.isTx
      ? `sampling_${randomBytes(4).toString('hex')}`
      : `sample:${this.#samplers.size}`;
    this.#samplers.set(id, sampler);
    return id;
  }

  open(body: Body): FakeReply {
    const { model_path: path, base_model: base } = body;
    if ((path === undefined) === (base === undefined))
      return refuse(400, 'Exactly one of base_model or model_path');
    if (path === undefined) {
      if (base !== this.#options.baseModel) return refuse(400, `No base model ${base}`);
      return ok({
        type: 'create_sampling_session',
        sampling_session_id: this.add({ model: undefined, name: '' }),
      });
    }
    const { run, name } =
      /^tinker:\/\/(?<run>[^/]+)\/(?:sampler_weights\/)?(?<name>[^/]+)$/.exec(String(path))?.groups ?? {};
    const model = this.#options.models.get(run ?? '');
    if (model === undefined || name === undefined || !model.samplers.has(name)) {
      return refuse(404, `Checkpoint not found: ${path}`);
    }
    return ok({ type: 'create_sampling_session', sampling_session_id: this.add({ model, name }) });
  }

  sample(body: Body): FakeReply {
    const sampler = this.#samplers.get(String(body['sampling_session_id']));
    if (sampler === undefined) return refuse(404, 'Sampling session not found');
    const params = body['sampling_params'] as WireSampling & { readonly seed?: number };
    if (!(params.max_tokens > 0)) return refuse(400, 'max_tokens is currently required');
    if (params.stop !== undefined && !Array.isArray(params.stop)) return refuse(422, 'stop: a list');
    const topk = Number(body['topk_prompt_logprobs'] ?? 0);
    if (this.#options.isTx && topk > 0)
      return this.#options.accept({ error: 'topk_prompt_logprobs is not supported', category: 'user' });
    const { chunks } = body['prompt'] as WireDatum['model_input'];
    const prompt = chunks.flatMap(({ tokens }) => tokens);
    const table = this.#tableOf(sampler);
    const seed = params.seed ?? randomBytes(4).readInt32LE();
    const count = Number(body['num_samples'] ?? 1);
    const value: WireSampleResult = {
      type: 'sample',
      sequences: Array.from({ length: count }, (_, i) => sampleTokens(table, prompt, params, seed + i)),
      prompt_logprobs: body['prompt_logprobs'] === true ? this.#promptLogprobs(table, prompt) : null,
      topk_prompt_logprobs: topk > 0 ? likeliest(table, prompt, topk) : null,
    };
    return this.#options.accept({ value, toProtobuf: () => writeSampleResult(value) });
  }

  /**
   * The weights that a sampler has. On tx they are put into the model's own memory at first use, where training goes on with them: what the
   * real engine does, and why an older sampler must not be used there.
   */
  #tableOf({ model, name }: Sampler): BigramModel {
    if (model === undefined) return this.#base;
    const state = model.samplers.get(name)!;
    if (this.#options.isTx) {
      if (!model.loadedSamplers.has(name)) model.table.load(state, false);
      model.loadedSamplers.add(name);
      return model.table;
    }
    const known = this.#tables.get(state);
    if (known !== undefined) return known;
    const table = this.#options.newTable();
    table.load(state, false);
    this.#tables.set(state, table);
    return table;
  }

  #promptLogprobs(table: BigramModel, prompt: readonly number[]): readonly (number | null)[] {
    const rest = prompt.slice(1).map((token, i) => Math.fround(table.logprobs(prompt[i]!)[token]!));
    return this.#options.isTx ? rest : [null, ...rest];
  }
}

function likeliest(
  table: BigramModel,
  prompt: readonly number[],
  k: number,
): WireSampleResult['topk_prompt_logprobs'] {
  return prompt.map((_, position) => {
    if (position === 0) return null;
    const row = table.logprobs(prompt[position - 1]!);
    const order = Array.from(row.keys()).sort((a, b) => row[b]! - row[a]!);
    return order.slice(0, k).map((token) => [token, Math.fround(row[token]!)] as const);
  });
}
