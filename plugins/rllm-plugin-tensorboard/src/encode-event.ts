import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';

/** What an event says; the file version comes first in every file. */
export type EventContent =
  | { readonly kind: 'version' }
  /** A run goes on from here: TensorBoard forgets what it has of this step and later ones. */
  | { readonly kind: 'sessionStart' }
  | { readonly kind: 'scalars'; readonly values: Readonly<Record<string, number>> }
  /** Markdown. */
  | { readonly kind: 'text'; readonly tag: string; readonly text: string };

/**
 * An event in the wire format of `tensorflow.Event`.
 *
 * Scalars are float32, as TensorBoard draws them: about seven digits, and infinity beyond 3.4e38. `metrics.jsonl` has all digits.
 *
 * @param wallTimeMs  milliseconds since 1970.
 * @see https://github.com/tensorflow/tensorboard/blob/master/tensorboard/compat/proto/event.proto and `summary.proto`, `tensor.proto`.
 */
export function encodeEvent(wallTimeMs: number, step: number, content: EventContent): Uint8Array {
  const event = new BinaryWriter();
  event.tag(EVENT.wallTime, WireType.Bit64).double(wallTimeMs / 1000);
  event.tag(EVENT.step, WireType.Varint).int64(step);
  switch (content.kind) {
    case 'version':
      event.tag(EVENT.fileVersion, WireType.LengthDelimited).string('brain.Event:2');
      break;
    case 'sessionStart':
      event.tag(EVENT.sessionLog, WireType.LengthDelimited).fork();
      event.tag(SESSION_LOG.status, WireType.Varint).int32(SESSION_START).join();
      break;
    case 'scalars':
      event.tag(EVENT.summary, WireType.LengthDelimited).fork();
      for (const [tag, value] of Object.entries(content.values)) writeScalar(event, tag, value);
      event.join();
      break;
    case 'text':
      event.tag(EVENT.summary, WireType.LengthDelimited).fork();
      writeText(event, content.tag, content.text);
      event.join();
  }
  return event.finish();
}

/** Numbers of fields, by message. */
const EVENT = { wallTime: 1, step: 2, fileVersion: 3, summary: 5, sessionLog: 7 } as const;
const SUMMARY = { value: 1 } as const;
const VALUE = { tag: 1, simpleValue: 2, tensor: 8, metadata: 9 } as const;
const METADATA = { pluginData: 1 } as const;
const PLUGIN_DATA = { pluginName: 1 } as const;
const TENSOR = { dtype: 1, shape: 2, stringVal: 8 } as const;
const SHAPE = { dim: 2 } as const;
const DIM = { size: 1 } as const;
const SESSION_LOG = { status: 1 } as const;

const SESSION_START = 1;
const DT_STRING = 7;

function writeScalar(event: BinaryWriter, tag: string, value: number): void {
  event.tag(SUMMARY.value, WireType.LengthDelimited).fork();
  event.tag(VALUE.tag, WireType.LengthDelimited).string(tag);
  // The writer refuses what overflows instead of rounding it.
  event.tag(VALUE.simpleValue, WireType.Bit32).float(Math.fround(value));
  event.join();
}

/** A list of one text, as the text dashboard takes it. */
function writeText(event: BinaryWriter, tag: string, text: string): void {
  event.tag(SUMMARY.value, WireType.LengthDelimited).fork();
  event.tag(VALUE.tag, WireType.LengthDelimited).string(tag);
  event.tag(VALUE.tensor, WireType.LengthDelimited).fork();
  event.tag(TENSOR.dtype, WireType.Varint).int32(DT_STRING);
  event.tag(TENSOR.shape, WireType.LengthDelimited).fork();
  event.tag(SHAPE.dim, WireType.LengthDelimited).fork();
  event.tag(DIM.size, WireType.Varint).int64(1).join().join();
  event.tag(TENSOR.stringVal, WireType.LengthDelimited).string(text).join();
  event.tag(VALUE.metadata, WireType.LengthDelimited).fork();
  event.tag(METADATA.pluginData, WireType.LengthDelimited).fork();
  event.tag(PLUGIN_DATA.pluginName, WireType.LengthDelimited).string('text').join().join();
  event.join();
}
