import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';

/** Answers that an engine of no cost gives, made once and given out as they are. */
export interface ZeroEngine {
  readonly fetch: typeof globalThis.fetch;
  /** Requests so far, and bytes of their bodies. */
  readonly counts: { requests: number; bytes: number };
  /** Waits this long before each answer, in ms. */
  latencyMs: number;
}

const JSON_TYPE = { 'content-type': 'application/json' };
const PROTOBUF_TYPE = { 'content-type': 'application/x-protobuf' };

/** An answer that costs nothing to read. */
class Canned extends Response {
  readonly #body: Buffer<ArrayBuffer>;

  constructor(body: Buffer<ArrayBuffer>, headers: Readonly<Record<string, string>>) {
    super(null, { headers });
    this.#body = body;
  }

  override readonly arrayBuffer = async (): Promise<ArrayBuffer> => {
    const { buffer, byteOffset, byteLength } = this.#body;
    return byteLength === buffer.byteLength ? buffer : buffer.slice(byteOffset, byteOffset + byteLength);
  };
}

/**
 * An engine within this process: what it takes is the client's own work, without sockets. Every forward result has `sequences` rows of
 * `tokens` log-probs, every sample `tokens` tokens.
 */
export function zeroEngine(
  wire: 'json' | 'protobuf',
  perRequest: readonly number[],
  tokens: number,
): ZeroEngine {
  const logprobs = Float32Array.from({ length: tokens }, (_, i) => -(((i * 7919) % 4093) / 1000) - 0.001);
  const sampled = Int32Array.from({ length: tokens }, (_, i) => (i * 7919) % 150_000);
  const forwards = perRequest.map((rows) =>
    wire === 'json' ? Buffer.from(forwardJson(rows, logprobs)) : forwardProtobuf(rows, logprobs),
  );
  const sample =
    wire === 'json' ? Buffer.from(sampleJson(sampled, logprobs)) : sampleProtobuf(sampled, logprobs);
  const engine = { counts: { requests: 0, bytes: 0 }, latencyMs: 0 };
  const resultType = wire === 'json' ? JSON_TYPE : PROTOBUF_TYPE;
  let forwardsSent = 0;
  const reply = (path: string, body: unknown): Response => {
    if (path === '/retrieve_future') {
      const { request_id: id } = JSON.parse(String(body)) as { readonly request_id: string };
      const [kind, index] = id.split(':');
      if (kind === 'forward') return new Canned(forwards[Number(index)]!, resultType);
      if (kind === 'sample') return new Canned(sample, resultType);
      return json(
        kind === 'model' ? { model_id: 'm' } : { metrics: {}, sampling_session_id: 's', path: null },
      );
    }
    if (path === '/client/config') return json({ pjwt_auth_enabled: false });
    if (path === '/create_session') return json({ session_id: 'session_00000000' });
    if (path === '/create_sampling_session') return json({ sampling_session_id: 's' });
    if (path === '/create_model') return json({ request_id: 'model' });
    if (path === '/asample') return json({ request_id: 'sample' });
    if (path === '/forward_backward')
      return json({ request_id: `forward:${forwardsSent++ % forwards.length}` });
    return json({ request_id: 'other' });
  };
  return Object.assign(engine, {
    fetch: async (url: unknown, init: RequestInit = {}) => {
      const { body } = init;
      engine.counts.requests++;
      engine.counts.bytes += body instanceof Uint8Array ? body.byteLength : String(body ?? '').length;
      if (engine.latencyMs > 0) await new Promise((resolve) => setTimeout(resolve, engine.latencyMs));
      return reply(String(url).replace(/^.*\/api\/v1/, ''), body);
    },
  });
}

function json(body: unknown): Response {
  return new Canned(Buffer.from(JSON.stringify(body)), JSON_TYPE);
}

/** As tx writes them: doubles of single precision, and the losses too. */
function forwardJson(rows: number, logprobs: Float32Array): string {
  const tensor = { data: Array.from(logprobs), dtype: 'float32', shape: [logprobs.length] };
  const row = { elementwise_loss: tensor, logprobs: tensor };
  return JSON.stringify({
    loss_fn_output_type: 'scalar',
    loss_fn_outputs: Array.from({ length: rows }, () => row),
    metrics: {},
  });
}

function forwardProtobuf(rows: number, logprobs: Float32Array): Buffer<ArrayBuffer> {
  const row = new Uint8Array(logprobs.buffer);
  const data = Buffer.concat(Array.from({ length: rows }, () => row));
  const offsets = BigInt64Array.from({ length: rows + 1 }, (_, i) => BigInt(i * row.length));
  const writer = new BinaryWriter()
    .tag(2, WireType.LengthDelimited)
    .fork()
    .tag(2, WireType.LengthDelimited)
    .fork();
  writer.tag(1, WireType.LengthDelimited).string('logprobs').tag(2, WireType.LengthDelimited).fork();
  writer.tag(1, WireType.LengthDelimited).bytes(data);
  writer.tag(2, WireType.LengthDelimited).bytes(new Uint8Array(offsets.buffer));
  writer.tag(3, WireType.Varint).int32(1).join().join();
  return Buffer.from(writer.tag(3, WireType.Varint).int64(rows).join().finish());
}

function sampleJson(tokens: Int32Array, logprobs: Float32Array): string {
  const sequence = { stop_reason: 'length', tokens: Array.from(tokens), logprobs: Array.from(logprobs) };
  return JSON.stringify({ type: 'sample', sequences: [sequence], prompt_logprobs: null });
}

function sampleProtobuf(tokens: Int32Array, logprobs: Float32Array): Buffer<ArrayBuffer> {
  const writer = new BinaryWriter().tag(1, WireType.LengthDelimited).fork().tag(1, WireType.Varint).int32(1);
  writer.tag(2, WireType.LengthDelimited).bytes(new Uint8Array(tokens.buffer));
  writer.tag(3, WireType.LengthDelimited).bytes(new Uint8Array(logprobs.buffer));
  return Buffer.from(writer.join().finish());
}
