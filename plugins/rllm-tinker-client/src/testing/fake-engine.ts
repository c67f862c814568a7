import { createHash, randomBytes } from 'node:crypto';
import { BigramModel, type WireAdam } from './bigram-model.js';
import { FakeFutures, type FakeResult } from './fake-futures.js';
import { listingReply } from './fake-listing.js';
import { FakeModel } from './fake-model.js';
import { type FakeReply, type FakeRequest, ok, refuse } from './fake-reply.js';
import { FakeSamplers } from './fake-samplers.js';
import { readBatch, writeForwardResult } from './protobuf-messages.js';
import { TOKEN_LOSSES } from './token-losses.js';
import type { WireBatch } from './wire-types.js';

export interface FakeEngineOptions {
  /** Whose shapes, routes and faults to show; default `hosted`. */
  readonly engine?: 'hosted' | 'tx' | 'tx-0.3';
  /** Default 16. */
  readonly vocabSize?: number;
  /** Of the base model's weights; default 0. */
  readonly seed?: number;
  /** The one base model; default `fake/bigram`. */
  readonly baseModel?: string;
  /** Answer of `client/config`. */
  readonly clientConfig?: Readonly<Record<string, unknown>>;
  readonly resultDelayMs?: number;
  /** Default 200. */
  readonly holdMs?: number;
}

type Body = Readonly<Record<string, unknown>>;
const NAME = /^[a-zA-Z0-9_-]{1,255}$/;

/** The protocol's server side, in memory, on a model of one table. */
export class FakeEngine {
  readonly isTx: boolean;
  readonly models: Map<string, FakeModel> = new Map();
  readonly sessions: Set<string> = new Set();
  readonly futures: FakeFutures;
  /** What no correct client does: requests out of order, a number used for two bodies. */
  readonly violations: string[] = [];
  readonly vocabSize: number;
  readonly baseModel: string;
  readonly #options: FakeEngineOptions;
  readonly #samplers: FakeSamplers;

  constructor(options: FakeEngineOptions = {}) {
    this.#options = options;
    this.isTx = options.engine === 'tx' || options.engine === 'tx-0.3';
    this.vocabSize = options.vocabSize ?? 16;
    this.baseModel = options.baseModel ?? 'fake/bigram';
    this.futures = new FakeFutures({
      isTx: this.isTx,
      hasProtobuf: options.engine !== 'tx-0.3',
      resultDelayMs: options.resultDelayMs ?? 0,
      holdMs: options.holdMs ?? 200,
    });
    this.#samplers = new FakeSamplers({
      isTx: this.isTx,
      baseModel: this.baseModel,
      models: this.models,
      newTable: () => this.#newTable(),
      accept: (result) => this.#accept(result),
    });
  }

  /** Answers one request as the engine would. */
  async answer(request: FakeRequest): Promise<FakeReply> {
    const { body = {} } = request;
    switch (request.path) {
      case '/healthz':
        return ok({ status: 'ok' });
      case '/client/config':
        return this.#options.engine === 'tx-0.3'
          ? refuse(404, 'Not Found')
          : ok(this.#options.clientConfig ?? { pjwt_auth_enabled: false });
      case '/auth/token':
        return this.isTx ? refuse(404, 'Not Found') : ok({ jwt: fakeJwt() });
      case '/get_server_capabilities':
        return ok({
          supported_models: [
            { model_name: this.baseModel, ...(this.isTx ? {} : { max_context_length: 32768 }) },
          ],
        });
      case '/create_session':
        return this.#createSession(body);
      case '/session_heartbeat':
        return this.sessions.has(String(body['session_id']))
          ? ok({ type: 'session_heartbeat' })
          : refuse(404, 'Session not found');
      case '/create_sampling_session':
        return this.sessions.has(String(body['session_id']))
          ? this.#samplers.open(body)
          : refuse(404, 'Session not found');
      case '/create_model':
        return this.#createModel(body);
      case '/retrieve_future':
        return this.futures.poll(request);
      case '/asample':
        return this.#samplers.sample(body);
      case '/forward':
      case '/forward_backward':
        return this.#forward(request);
      case '/optim_step':
        return this.#inTurn(body, (model) => ({
          value: { metrics: model.step(body['adam_params'] as WireAdam, this.isTx) },
        }));
      case '/save_weights':
        return this.#save(body, 'weights');
      case '/save_weights_for_sampler':
        return this.#save(body, 'sampler_weights');
      case '/load_weights':
        return this.#load(body);
      case '/unload_model':
        return this.#unload(body);
      case '/get_info':
        return this.#info(body);
      default:
        return listingReply(this, request);
    }
  }

  #newTable(): BigramModel {
    return new BigramModel(this.vocabSize, this.#options.seed ?? 0);
  }

  #accept(result: FakeResult): FakeReply {
    return this.#accepted(this.futures.add(result));
  }

  #accepted(id: string): FakeReply {
    return ok(this.isTx ? { future_id: id, status: 'pending', request_id: id } : { request_id: id });
  }

  #createSession(body: Body): FakeReply {
    if (!Array.isArray(body['tags']) || typeof body['sdk_version'] !== 'string') {
      return {
        status: 422,
        body: { detail: [{ loc: ['body', 'tags'], msg: 'Field required', input: body }] },
      };
    }
    const id = this.isTx ? `session_${randomBytes(4).toString('hex')}` : randomBytes(16).toString('hex');
    this.sessions.add(id);
    return ok({
      type: 'create_session',
      session_id: id,
      info_message: null,
      warning_message: null,
      error_message: null,
    });
  }

  #createModel(body: Body): FakeReply {
    const sessionId = String(body['session_id']);
    if (!this.sessions.has(sessionId)) return refuse(404, 'Session not found');
    const { rank = 32 } = (body['lora_config'] ?? {}) as { readonly rank?: number };
    const id = this.isTx
      ? `model_${randomBytes(4).toString('hex')}`
      : `${sessionId}:train:${body['model_seq_id']}`;
    this.models.set(id, new FakeModel(id, String(body['base_model']), rank, this.#newTable()));
    return this.#accept({ value: { model_id: id, type: 'create_model' } });
  }

  /** Runs a training request under its sequence number: once, in order, and again only with the same body. */
  #inTurn(body: Body, run: (model: FakeModel) => FakeResult | FakeReply): FakeReply {
    const model = this.models.get(String(body['model_id']));
    if (model === undefined || !model.isLoaded) return refuse(404, 'Model not found');
    const seqId = Number(body['seq_id']);
    const print = createHash('sha256').update(JSON.stringify(body)).digest('hex');
    const earlier = model.seen.get(seqId);
    if (earlier !== undefined && this.#options.engine !== 'tx-0.3') {
      if (earlier.body === print) return this.#accepted(earlier.requestId);
      this.violations.push(`seq_id ${seqId} of ${model.id} was used for two bodies`);
      return refuse(409, 'Training request sequence number was reused');
    }
    if (seqId !== model.nextSeqId) {
      this.violations.push(`seq_id ${seqId} of ${model.id} arrived when ${model.nextSeqId} was due`);
    }
    const result = run(model);
    if ('status' in result) return result;
    model.nextSeqId = seqId + 1;
    const requestId = this.futures.add(result);
    model.seen.set(seqId, { body: print, requestId });
    return this.#accepted(requestId);
  }

  #forward(request: FakeRequest): FakeReply {
    const isProtobuf = String(request.headers['content-type']).includes('protobuf');
    if (isProtobuf && this.#options.engine === 'tx-0.3') return refuse(422, 'The body is no JSON');
    const batch = isProtobuf ? readBatch(request.bytes) : jsonBatch(request);
    return this.#inTurn({ ...batch }, (model) => {
      const fault = this.#faultOf(batch);
      if (fault !== undefined) return fault;
      const value = model.forward(batch, this.isTx);
      return { value, toProtobuf: () => writeForwardResult(value) };
    });
  }

  #faultOf({ data, loss_fn }: WireBatch): FakeReply | FakeResult | undefined {
    if (TOKEN_LOSSES[loss_fn] === undefined) return refuse(422, `loss_fn: ${loss_fn}`);
    const keys = data.flatMap(({ loss_fn_inputs }) => Object.keys(loss_fn_inputs));
    if (!this.isTx && keys.includes('mask')) return refuse(422, 'loss_fn_inputs: mask');
    const tokens = data.flatMap(({ model_input }) => model_input.chunks.flatMap((chunk) => chunk.tokens));
    const wrong = tokens.find((token) => token >= this.vocabSize);
    return wrong === undefined
      ? undefined
      : { error: `token ${wrong} is not in the vocabulary`, category: 'user' };
  }

  #save(body: Body, kind: 'weights' | 'sampler_weights'): FakeReply {
    const ephemeral = kind === 'sampler_weights' && body['path'] === undefined;
    const name = ephemeral
      ? `ss${body['sampling_session_seq_id']}_seq${body['seq_id']}`
      : String(body['path']);
    if (!NAME.test(name)) return refuse(422, `path: ${name}`);
    return this.#inTurn(body, (model) => {
      const kept = kind === 'weights' ? model.states : model.samplers;
      if (kept.has(name) && body['overwrite'] !== true) {
        return refuse(409, `Checkpoint '${name}' already exists for model '${model.id}'`);
      }
      kept.set(name, model.table.state());
      if (!ephemeral) {
        const segment = this.isTx && kind === 'sampler_weights' ? '' : `${kind}/`;
        return { value: { path: `tinker://${model.id}/${segment}${name}`, type: `save_${kind}` } };
      }
      const id = this.#samplers.add({ model, name });
      return { value: { path: null, sampling_session_id: id, type: 'save_weights_for_sampler' } };
    });
  }

  #load(body: Body): FakeReply {
    const { run, name } =
      /^tinker:\/\/(?<run>[^/]+)\/weights\/(?<name>[^/]+)$/.exec(String(body['path']))?.groups ?? {};
    const state = this.models.get(run ?? '')?.states.get(name ?? '');
    if (state === undefined) return refuse(404, `Checkpoint not found: ${body['path']}`);
    return this.#inTurn(body, (model) => {
      if (model.nextSeqId !== 1)
        return refuse(400, `LoadWeights is not permitted with seq_id ${body['seq_id']}`);
      model.table.load(state, this.#options.engine === 'tx-0.3' || body['optimizer'] === true);
      return { value: { type: 'load_weights' } };
    });
  }

  #unload(body: Body): FakeReply {
    const model = this.models.get(String(body['model_id']));
    if (model === undefined) return refuse(404, 'Model not found');
    model.isLoaded = false;
    return this.#accept({ value: { model_id: model.id, type: 'unload_model' } });
  }

  #info(body: Body): FakeReply {
    const model = this.models.get(String(body['model_id']));
    if (model === undefined) return refuse(404, 'Model not found');
    const { id: model_id, baseModel, rank } = model;
    if (this.isTx) {
      const data = { base_model: baseModel, lora_config: { rank, seed: null }, model_name: baseModel };
      return ok({ model_id, status: 'created', model_data: data });
    }
    const data = { arch: 'bigram', model_name: baseModel, tokenizer_id: `${baseModel}:0` };
    return ok({
      type: 'get_info',
      model_id,
      model_data: data,
      is_lora: true,
      lora_rank: rank,
      model_name: baseModel,
    });
  }
}

function jsonBatch({ path, body = {} }: FakeRequest): WireBatch {
  const forwardOnly = path === '/forward';
  const input = (body[forwardOnly ? 'forward_input' : 'forward_backward_input'] ?? {}) as WireBatch;
  return {
    model_id: String(body['model_id']),
    seq_id: Number(body['seq_id']),
    forward_only: forwardOnly,
    loss_fn: input.loss_fn,
    loss_fn_config: input.loss_fn_config ?? {},
    data: input.data,
  };
}

/** A token that is good for an hour. */
function fakeJwt(): string {
  const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${part({ alg: 'none' })}.${part({ exp: Math.floor(Date.now() / 1000) + 3600 })}.fake`;
}
