/** What the engine says about a model in training. */
export interface ModelInfo {
  readonly modelId: string;
  readonly baseModel: string | undefined;
  readonly loraRank: number | undefined;
  /** Where the tokenizer is found: `tokenizer_id` up to a colon, else the name of the base model. */
  readonly tokenizerId: string | undefined;
}

/** What a checkpoint of training state was made from: enough to create a model to load it into. */
export interface WeightsInfo {
  readonly baseModel: string;
  readonly isLora: boolean;
  readonly loraRank: number | undefined;
  readonly trainAttn: boolean | undefined;
  readonly trainMlp: boolean | undefined;
  readonly trainUnembed: boolean | undefined;
}
