/** Result of `saveState`: adapter and optimizer. */
export interface SavedState {
  /** `tinker://RUN/weights/NAME` */
  readonly path: string;
}

/** Result of `saveWeightsForSampler`: a path where a name was given, else a sampling session that lives as long as the session. */
export type SavedSampler =
  | { readonly kind: 'named'; readonly path: string }
  | { readonly kind: 'ephemeral'; readonly samplingSessionId: string };

/** A checkpoint in a listing. */
export interface Checkpoint {
  /** Without its kind, on every engine: `000020`. */
  readonly name: string;
  readonly kind: 'training' | 'sampler';
  /** `tinker://RUN/weights/NAME` or `tinker://RUN/sampler_weights/NAME` */
  readonly path: string;
  /** ISO 8601 */
  readonly time: string | undefined;
  readonly sizeBytes: number | undefined;
  readonly expiresAt: string | undefined;
}

/** A model's training as the engine's books have it. */
export interface TrainingRun {
  readonly id: string;
  readonly baseModel: string;
  readonly isLora: boolean;
  readonly loraRank: number | undefined;
  readonly corrupted: boolean;
  /** ISO 8601 */
  readonly lastRequestTime: string | undefined;
  readonly lastCheckpoint: Checkpoint | undefined;
  readonly lastSamplerCheckpoint: Checkpoint | undefined;
  readonly userMetadata: Readonly<Record<string, string>>;
}
