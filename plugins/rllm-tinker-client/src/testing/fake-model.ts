import type { BigramModel, BigramState, WireAdam } from './bigram-model.js';
import { TOKEN_LOSSES } from './token-losses.js';
import type { WireBatch, WireDatum, WireForwardResult } from './wire-types.js';

/** A model in training on the fake engine. */
export class FakeModel {
  readonly id: string;
  readonly baseModel: string;
  readonly rank: number;
  readonly table: BigramModel;
  readonly states: Map<string, BigramState> = new Map();
  readonly samplers: Map<string, BigramState> = new Map();
  /** Sampler checkpoints that were loaded once, which matters where they share memory with training. */
  readonly loadedSamplers: Set<string> = new Set();
  readonly seen: Map<number, { readonly body: string; readonly requestId: string }> = new Map();
  /** Number of the next request; creation is 0. */
  nextSeqId = 1;
  isLoaded = true;

  constructor(id: string, baseModel: string, rank: number, table: BigramModel) {
    this.id = id;
    this.baseModel = baseModel;
    this.rank = rank;
    this.table = table;
  }

  /**
   * Log-probs and losses of a batch; adds its gradient unless it is forward only.
   *
   * @param isTx  weights mask every loss and each sequence is divided by their sum; else losses are summed over tokens
   */
  forward(batch: WireBatch, isTx: boolean): WireForwardResult {
    let total = 0;
    const outputs = batch.data.map((datum) => {
      const { logprobs, losses, sum } = this.#forwardDatum(datum, batch, isTx);
      total += sum;
      const tensor = (data: readonly number[]) => ({ data, dtype: 'float32', shape: [data.length] });
      return isTx
        ? { elementwise_loss: tensor(losses), logprobs: tensor(logprobs) }
        : { logprobs: tensor(logprobs) };
    });
    return {
      loss_fn_output_type: isTx ? 'scalar' : 'TensorData',
      loss_fn_outputs: outputs,
      metrics: isTx ? {} : { 'loss:sum': total },
    };
  }

  step(adam: WireAdam, isTx: boolean): Readonly<Record<string, number>> {
    const norm = this.table.step(adam, isTx ? 'sequence-mean' : 'token-sum');
    return isTx ? { 'skyrl.ai/grad_norm': norm, 'skyrl.ai/learning_rate': adam.learning_rate } : {};
  }

  #forwardDatum(
    { model_input, loss_fn_inputs }: WireDatum,
    batch: WireBatch,
    isTx: boolean,
  ): { readonly logprobs: readonly number[]; readonly losses: readonly number[]; readonly sum: number } {
    const inputs = model_input.chunks.flatMap(({ tokens }) => tokens);
    const targets = loss_fn_inputs['target_tokens']?.data ?? [];
    // An engine computes in single precision, whatever digits the wire brought.
    const column = (name: string): readonly number[] => (loss_fn_inputs[name]?.data ?? []).map(Math.fround);
    const [sampled, advantages, weights] = [column('logprobs'), column('advantages'), column('weights')];
    const rule = TOKEN_LOSSES[batch.loss_fn]!;
    const total = isTx ? weights.reduce((a, b) => a + b, 0) : 1;
    const logprobs = inputs.map((token, i) => this.table.logprobs(token)[targets[i]!]!);
    const losses = inputs.map((_, i) => {
      const at = {
        logprob: logprobs[i]!,
        sampled: sampled[i] ?? 0,
        advantage: advantages[i] ?? 0,
        weight: weights[i] ?? 1,
      };
      const { loss, slope } = rule(at, batch.loss_fn_config);
      const factor = at.weight / total;
      return { loss: loss * factor, slope: slope * factor };
    });
    if (!batch.forward_only) this.table.accumulate(inputs, targets, losses);
    return {
      logprobs: logprobs.map(Math.fround),
      losses: losses.map(({ loss }) => Math.fround(loss)),
      sum: losses.reduce((sum, { loss }) => sum + loss, 0),
    };
  }
}
