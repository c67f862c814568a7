import type { Datum } from '../types/datum.js';
import { type EncodedBatch, type ForwardBatch, TOKEN_INPUT } from './forward-batch.js';
import { JsonWriter } from './json-writer.js';

/** Bytes of text that a number takes on average, rather too many: growing copies all of it, memory that is not touched costs nothing. */
const BYTES_PER_NUMBER = 12;

/** The JSON form, which every engine but the newest hosted service takes. */
export function encodeJsonBatch(batch: ForwardBatch): EncodedBatch {
  const numbers = batch.data.reduce(
    (sum, { modelInput, lossInputs }) => sum + modelInput.length * (1 + Object.keys(lossInputs).length),
    0,
  );
  const writer = new JsonWriter(1024 + numbers * BYTES_PER_NUMBER);
  writer.text(batch.withGradient ? '{"forward_backward_input":{"loss_fn":' : '{"forward_input":{"loss_fn":');
  writer.value(batch.lossFn);
  if (batch.lossConfig !== undefined) writer.text(',"loss_fn_config":').value(batch.lossConfig);
  writer.text(',"data":[');
  batch.data.forEach((datum, i) => {
    if (i > 0) writer.text(',');
    writeDatum(writer, datum);
  });
  writer.text(']}');
  return (modelId, seqId) => ({
    method: 'POST',
    path: batch.withGradient ? '/forward_backward' : '/forward',
    body: writer.text(',"model_id":').value(modelId).text(`,"seq_id":${seqId}}`).finish(),
  });
}

function writeDatum(writer: JsonWriter, { modelInput, lossInputs }: Datum): void {
  writer.text('{"model_input":{"chunks":[{"type":"encoded_text","tokens":').integers(modelInput);
  writer.text('}]},"loss_fn_inputs":{');
  Object.entries(lossInputs).forEach(([name, values], i) => {
    if (i > 0) writer.text(',');
    writer.value(name).text(':{"data":');
    if (name === TOKEN_INPUT) writer.integers(values).text(',"dtype":"int64"');
    else writer.floats(values).text(',"dtype":"float32"');
    writer.text(`,"shape":[${values.length}]}`);
  });
  writer.text('}}');
}
