/** A tensor in JSON. */
export interface WireTensor {
  readonly data: readonly number[];
  readonly dtype?: string;
  readonly shape?: readonly number[];
}

/** A datum in JSON. */
export interface WireDatum {
  readonly model_input: { readonly chunks: readonly { readonly tokens: readonly number[] }[] };
  readonly loss_fn_inputs: Readonly<Record<string, WireTensor>>;
}

/** forward or forward_backward, from either wire. */
export interface WireBatch {
  readonly model_id: string;
  readonly seq_id: number;
  readonly forward_only: boolean;
  readonly loss_fn: string;
  readonly loss_fn_config: Readonly<Record<string, number>>;
  readonly data: readonly WireDatum[];
}

/** Result of forward or forward_backward in JSON. */
export interface WireForwardResult {
  readonly loss_fn_output_type: string;
  readonly loss_fn_outputs: readonly Readonly<Record<string, WireTensor>>[];
  readonly metrics: Readonly<Record<string, number>>;
}

/** Result of sampling in JSON. */
export interface WireSampleResult {
  readonly type: 'sample';
  readonly sequences: readonly {
    readonly stop_reason: string;
    readonly tokens: readonly number[];
    readonly logprobs: readonly number[];
  }[];
  readonly prompt_logprobs: readonly (number | null)[] | null;
  readonly topk_prompt_logprobs: readonly (readonly (readonly [number, number])[] | null)[] | null;
}
