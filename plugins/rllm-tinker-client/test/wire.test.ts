import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Datum } from '../src/index.js';
import { hoistArrays } from '../src/wire/hoist-arrays.js';
import { encodeJsonBatch } from '../src/wire/json-forward-request.js';
import { JsonWriter } from '../src/wire/json-writer.js';
import { encodeProtobufBatch } from '../src/wire/protobuf-forward-request.js';
import { decodeProtobufForwardResult } from '../src/wire/protobuf-forward-result.js';
import { decodeProtobufSampleResult } from '../src/wire/protobuf-sample-result.js';
import { readFloats, readSingles } from '../src/wire/read-floats.js';
import { readNaturals } from '../src/wire/read-naturals.js';
import { failureOf, imitation, training } from './support.js';

const parse = (writer: JsonWriter): number[] =>
  JSON.parse(Buffer.from(writer.finish()).toString()) as number[];

describe('numbers in JSON', () => {
  test.each([
    0, -0, 1, -1, 0.5, -0.25, 1e-4, 9.999999e-5, 1e-45, 1.1754944e-38, 3.4028235e38, 999999999, 1e9,
    123456789, 16777217, 0.1, -2.3, 9.9999994, 0.99999994, 0.09999999, 1e-10, 1234.5678,
  ])('%d comes back as the same float32', (value) => {
    const [read] = parse(new JsonWriter(1).floats([value]));
    expect(Math.fround(read!)).toBe(Math.fround(value) + 0);
  });

  test('any float32 comes back bit for bit, alone and in runs', () => {
    const finite = fc.float({ noNaN: true, noDefaultInfinity: true }).map((x) => x + 0);
    fc.assert(
      fc.property(fc.array(fc.tuple(finite, fc.nat(3)), { maxLength: 50 }), (runs) => {
        const values = runs.flatMap(([value, times]) => Array.from({ length: times + 1 }, () => value));
        expect(parse(new JsonWriter(1).floats(Float32Array.from(values))).map(Math.fround)).toEqual(values);
      }),
      { numRuns: 500 },
    );
  });

  test('float32 of every size, drawn by their bits', () => {
    const bits = fc.integer({ min: 0, max: 2 ** 32 - 1 });
    fc.assert(
      fc.property(fc.array(bits, { minLength: 1, maxLength: 200 }), (words) => {
        const values = new Float32Array(Uint32Array.from(words).buffer).filter(
          (x) => Number.isFinite(x) && x !== 0,
        );
        expect(Float32Array.from(parse(new JsonWriter(1).floats(values)))).toEqual(values);
      }),
      { numRuns: 500 },
    );
  });

  test('a double is rounded to single precision, as on the other wire', () => {
    expect(parse(new JsonWriter(1).floats([0.1 + 1e-12])).map(Math.fround)).toEqual([Math.fround(0.1)]);
  });

  test('integers that follow their own beginning are copied, and right', () => {
    fc.assert(
      fc.property(
        fc.array(fc.array(fc.integer({ min: 0, max: 200_000 }), { minLength: 2, maxLength: 30 })),
        (sequences) => {
          const writer = new JsonWriter(1).text('[');
          sequences.forEach((full, i) => {
            writer
              .text(i > 0 ? ',' : '')
              .integers(full.slice(0, -1))
              .text(',')
              .integers(full.slice(1));
          });
          const written: unknown = JSON.parse(Buffer.from(writer.text(']').finish()).toString());
          expect(written).toEqual(sequences.flatMap((full) => [full.slice(0, -1), full.slice(1)]));
        },
      ),
    );
  });

  test('integers come back', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 2 ** 31 - 1 })), (values) => {
        expect(parse(new JsonWriter(1).integers(values))).toEqual(values);
      }),
    );
  });
});

describe('float32 in a result', () => {
  const read = (text: string): Float32Array | undefined => {
    const bytes = Buffer.from(text);
    return readFloats(bytes, 0, bytes.length);
  };
  const slow = (values: readonly string[]): Float32Array => Float32Array.from(values, Number);

  test('is read as through a double, from the digits of a double, of a float, or of any number', () => {
    const bits = fc
      .integer({ min: 0, max: 2 ** 32 - 1 })
      .map((word) => new Float32Array(Uint32Array.of(word).buffer)[0]!);
    const finite = fc
      .oneof(bits, fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e38, max: 1e38 }))
      .filter(Number.isFinite);
    const text = fc.tuple(finite, fc.constantFrom('full', 'nine', 'exponent', 'fixed')).map(([x, how]) => {
      if (how === 'nine') return x.toPrecision(9);
      if (how === 'exponent') return x.toExponential(20);
      return how === 'fixed' && Math.abs(x) < 1e20 ? x.toFixed(12) : String(x);
    });
    fc.assert(
      fc.property(fc.array(text, { minLength: 1, maxLength: 50 }), (texts) => {
        expect(read(texts.join(','))).toEqual(slow(texts));
        expect(read(` ${texts.join(' ,\n ')} `)).toEqual(slow(texts));
      }),
      { numRuns: 500 },
    );
  });

  test('is right next to the middle between two of them', () => {
    const bits = fc.integer({ min: 0x00800000, max: 0x7f000000 });
    fc.assert(
      fc.property(bits, fc.integer({ min: -3, max: 3 }), (word, ulps) => {
        const [low, high] = new Float32Array(Uint32Array.of(word, word + 1).buffer);
        const middle = new BigUint64Array(Float64Array.of((low! + high!) / 2).buffer);
        const near = new Float64Array(BigUint64Array.of(middle[0]! + BigInt(ulps)).buffer)[0]!;
        expect(read(String(near))).toEqual(slow([String(near)]));
        expect(read(String(-near))).toEqual(slow([String(-near)]));
      }),
      { numRuns: 2000 },
    );
  });

  test('nothing is no number', () => {
    expect(read('')).toEqual(new Float32Array());
    for (const text of [
      'null',
      '1,null',
      '1,,2',
      '1,',
      ',1',
      '1 2',
      '-',
      '1e',
      '1e5x',
      '"1"',
      'NaN',
      '1.2.3',
    ]) {
      expect(read(text)).toBeUndefined();
    }
  });

  test('is told from a double by its digits', () => {
    const singles = fc.array(
      fc.float({ noNaN: true, noDefaultInfinity: true }).map((x) => x + 0),
      {
        minLength: 1,
        maxLength: 50,
      },
    );
    const doubles = fc
      .double({ noNaN: true, noDefaultInfinity: true, min: -100, max: 100 })
      .filter((x) => Math.abs(Math.fround(x) - x) > 1e-10 * Math.abs(x));
    const readText = (text: string): Float32Array | undefined =>
      readSingles(Buffer.from(text), 0, text.length);
    fc.assert(
      fc.property(singles, fc.nat(49), doubles, (values, place, double) => {
        expect(readText(values.join(','))).toEqual(Float32Array.from(values));
        expect(readText(values.toSpliced(place, 0, double).join(','))).toBeUndefined();
      }),
      { numRuns: 500 },
    );
    expect(readText('')).toEqual(new Float32Array());
    expect(readText('1,null')).toBeUndefined();
  });

  test('is found in any JSON around it', () => {
    const training = {
      'a"data":[1]': '"data":[5]',
      nested: { data: [{ data: [1, 2] }, { data: ['x]'] }] },
      b: { data: [-1.5, 2], dtype: 'float32' },
      empty: { data: [] },
      data: 99,
    };
    const sampled = {
      sequences: [
        { tokens: [1, 2], logprobs: [-1e-3, null], 'a "tokens": [1]': '"tokens": [1]' },
        { tokens: [], logprobs: { tokens: ['x]'] } },
      ],
      topk_logprobs: [[1, -0.5]],
    };
    for (const [body, indent] of [training, sampled].flatMap((one) => [
      [one, 0] as const,
      [one, 2] as const,
    ])) {
      const bytes = Buffer.from(JSON.stringify(body, null, indent));
      const { body: hoisted, ranges } = hoistArrays(bytes);
      const restored: unknown = JSON.parse(JSON.stringify(hoisted), (key, value: unknown) => {
        const isKey = key === 'data' || key === 'tokens' || key === 'logprobs';
        if (!isKey || typeof value !== 'number' || value === 99) return value;
        const range = ranges[value]!;
        return JSON.parse(`[${bytes.subarray(range.from, range.to).toString()}]`) as unknown;
      });
      expect(restored).toEqual(body);
    }
  });
});

describe('token ids in a result', () => {
  const read = (text: string): Int32Array | undefined =>
    readNaturals(Buffer.from(`[${text}]`), 1, text.length + 1);

  test('are read as they are written', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(999_999_999), { maxLength: 50 }), (ids) => {
        expect(read(ids.join(','))).toEqual(Int32Array.from(ids));
      }),
    );
  });

  test.each(['-1', '1.5', '1,', ',1', '1,,2', '1, 2', ' ', 'null', '1e3', '"1"', '1000000000'])(
    'are left to JSON.parse where they are %j',
    (text) => {
      expect(read(text)).toBeUndefined();
    },
  );
});

describe('the forward request', () => {
  const datum: Datum = {
    modelInput: Int32Array.of(1, 2, 70_000),
    lossInputs: {
      target_tokens: [2, 70_000, 5],
      logprobs: Float32Array.of(0, -0.1, -2.5),
      advantages: [0, 0.3, 0.3],
    },
  };
  const batch = {
    withGradient: true,
    data: [datum],
    lossFn: 'ppo',
    lossConfig: { clip_low_threshold: 0.7 },
  } as const;

  test('in JSON is the protocol’s, with float32 as texts that mean the same', () => {
    const { path, body } = encodeJsonBatch(batch)('M:train:0', 300);
    expect(path).toBe('/forward_backward');
    expect(JSON.parse(Buffer.from(body as Uint8Array).toString())).toEqual({
      model_id: 'M:train:0',
      seq_id: 300,
      forward_backward_input: {
        loss_fn: 'ppo',
        loss_fn_config: { clip_low_threshold: 0.7 },
        data: [
          {
            model_input: { chunks: [{ type: 'encoded_text', tokens: [1, 2, 70_000] }] },
            loss_fn_inputs: {
              target_tokens: { data: [2, 70_000, 5], dtype: 'int64', shape: [3] },
              logprobs: { data: [0, 0.100000001, 2.5].map((x) => -x + 0), dtype: 'float32', shape: [3] },
              advantages: { data: [0, 0.300000012, 0.300000012], dtype: 'float32', shape: [3] },
            },
          },
        ],
      },
    });
  });

  test('for log-probs alone has its own path in JSON, and a flag in protobuf', () => {
    const forward = { ...batch, withGradient: false };
    expect(encodeJsonBatch(forward)('M', 1).path).toBe('/forward');
    expect(encodeProtobufBatch(forward)('M', 1).path).toBe('/forward_backward');
  });

  // Written by the official Python SDK 0.38's generated code, python -c "… r.SerializeToString(deterministic=True)".
  test('in protobuf has the fields that the official code writes', () => {
    const official = Buffer.from(GOLDEN_REQUEST, 'hex');
    const { body, headers } = encodeProtobufBatch(batch)('M:train:0', 300);
    const ours = Buffer.from(body as Uint8Array);
    expect(headers?.['content-type']).toBe('application/x-protobuf');
    expect(sortedFields(ours)).toEqual(sortedFields(official));
  });
});

describe('results that the official code wrote', () => {
  test('of forward: two records with their rows', () => {
    const { outputs, metrics } = decodeProtobufForwardResult(Buffer.from(GOLDEN_FORWARD, 'hex'));
    expect(outputs.map(({ logprobs }) => [...logprobs])).toEqual([[-0.5, -1.5], [-2.25], [-3]]);
    expect(metrics).toEqual({ 'loss:sum': 1.25 });
  });

  test('of sampling: NaN and empty rows are null', () => {
    const result = decodeProtobufSampleResult(Buffer.from(GOLDEN_SAMPLE, 'hex'));
    expect(result).toEqual({
      sequences: [
        { stopReason: 'length', tokens: Int32Array.of(7, 2), logprobs: Float32Array.of(-0.1, -0.2) },
      ],
      promptLogprobs: [null, -1.5],
      topkPromptLogprobs: [
        null,
        [
          { token: 4, logprob: -0.5 },
          { token: 5, logprob: -0.75 },
        ],
      ],
    });
  });

  test('cut short are refused', async () => {
    const bytes = Buffer.from(GOLDEN_FORWARD, 'hex');
    for (let length = 1; length < bytes.length; length += 3) {
      const read = Promise.resolve().then(() => decodeProtobufForwardResult(bytes.subarray(0, length)));
      const outcome = await read.catch((thrown: unknown) => thrown);
      if (outcome instanceof Error) expect(outcome).toMatchObject({ code: 'RESPONSE_INVALID' });
    }
    expect(
      await failureOf(Promise.resolve().then(() => decodeProtobufForwardResult(bytes.subarray(0, 40)))),
    ).toMatchObject({
      code: 'RESPONSE_INVALID',
    });
  });
});

describe('a result of forward', () => {
  const reply = (outputs: unknown) => ({
    status: 200,
    body: { loss_fn_outputs: outputs, metrics: { 'loss:sum': 1, x: null } },
  });
  const row = (data: unknown, dtype = 'float32') => ({ logprobs: { data, dtype } });

  test.each([
    ['too few outputs', []],
    ['too few log-probs', [row([-1])]],
    ['a null log-prob', [row([-1, null])]],
    ['no log-probs', [{}]],
    ['no outputs', undefined],
  ])('with %s is refused', async (_name, outputs) => {
    const { server, model } = await training({ engine: 'tx' });
    server.script('/retrieve_future', reply(outputs));
    const failure = await failureOf(model.forward([imitation([1, 2, 3])], 'cross_entropy'));
    expect(failure).toMatchObject({ code: 'RESPONSE_INVALID' });
  });

  test('keeps doubles where the engine does not declare float32, and leaves out metrics that are null', async () => {
    const { server, model } = await training({ engine: 'tx' });
    server.script('/retrieve_future', reply([row([-0.1, -0.2], 'float64')]));
    const { outputs, metrics } = await model.forward([imitation([1, 2, 3])], 'cross_entropy');
    expect(outputs[0]?.logprobs).toEqual(Float64Array.of(-0.1, -0.2));
    expect(metrics).toEqual({ 'loss:sum': 1 });
  });
});

test('both wires train alike, to the last bit', async () => {
  const results = await Promise.all(
    (['json', 'protobuf'] as const).map(async (wire) => {
      const { server, model } = await training({}, { wire });
      const weights = [0.1, 0.7, 1 / 3];
      const trained = await model.forwardBackward(
        [imitation([1, 2, 3, 4], weights), imitation([5, 6])],
        'cross_entropy',
      );
      await model.optimStep({ learningRate: 0.1 });
      const after = await model.forward([imitation([1, 2, 3, 4])], 'cross_entropy');
      const type = String(server.to('/forward_backward')[0]?.headers['content-type']);
      expect(type).toBe(wire === 'json' ? 'application/json' : 'application/x-protobuf');
      return [trained, after];
    }),
  );
  expect(results[0]).toEqual(results[1]);
});

const GOLDEN_REQUEST =
  '0a094d3a747261696e3a3010ac021a88010a100a0e0a0c01000000020000007011010012210a0a616476616e746167657312130a0c000000009a99993e9a99993e1801220103121f0a086c6f6770726f627312130a0c00000000cdccccbd000020c0180122010312300a0d7461726765745f746f6b656e73121f0a180200000000000000701101000000000005000000000000001802220103220370706f2a1d0a12636c69705f6c6f775f7468726573686f6c6411666666666666e63f3a1f0a12636c69705f6c6f775f7468726573686f6c64120909666666666666e63f';
const GOLDEN_FORWARD =
  '0a0a54656e736f7244617461123d0a017812360a086c6f6770726f6273122a0a0c000000bf0000c0bf000010c01218000000000000000008000000000000000c0000000000000018011802122d0a017812260a086c6f6770726f6273121a0a04000040c0121000000000000000000400000000000000180118011a130a086c6f73733a73756d11000000000000f43f';
const GOLDEN_SAMPLE =
  '0a160801120807000000020000001a08cdccccbdcdcc4cbe12080000c07f0000c0bf1a280a10000000000000000004000000050000001210804fc3c7804fc3c7000000bf000040bf180220022003';

/** The fields of a message and of the messages and map entries in it, in an order that does not depend on the writer's. */
function sortedFields(bytes: Buffer): unknown {
  const fields: string[] = [];
  for (let at = 0; at < bytes.length; ) {
    const [tag, afterTag] = varint(bytes, at);
    const type = tag & 7;
    if (type === 0) {
      const [value, end] = varint(bytes, afterTag);
      fields.push(`${tag}:${value}`);
      at = end;
    } else if (type === 1) {
      fields.push(`${tag}:${bytes.subarray(afterTag, afterTag + 8).toString('hex')}`);
      at = afterTag + 8;
    } else {
      const [length, start] = varint(bytes, afterTag);
      const body = bytes.subarray(start, start + length);
      if (type !== 2 || body.length !== length) throw new Error('no message');
      // Field 3 at the top is a datum, whose map has any order; all else is compared as bytes.
      fields.push(`${tag}:${tag === 26 ? JSON.stringify(sortedFields(body)) : body.toString('hex')}`);
      at = start + length;
    }
  }
  return fields.sort();
}

function varint(bytes: Buffer, at: number): readonly [number, number] {
  let value = 0;
  for (let shift = 0; ; shift += 7) {
    const byte = bytes[at++]!;
    value += (byte & 127) * 2 ** shift;
    if (byte < 128) return [value, at];
  }
}
