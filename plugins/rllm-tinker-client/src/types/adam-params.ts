/** Settings of one optimizer step. */
export interface AdamParams {
  readonly learningRate: number;
  /** Default 0.9. */
  readonly beta1?: number;
  /** Default 0.95. */
  readonly beta2?: number;
  /** Default 1e-12. */
  readonly eps?: number;
  /** Default 0. */
  readonly weightDecay?: number;
  /** Largest norm of the gradient; default 0, which is off. Refused where the engine would ignore it. */
  readonly gradClipNorm?: number;
}

/** Result of an optimizer step. */
export interface OptimStepResult {
  /** The engine's metrics by its own names, such as `skyrl.ai/grad_norm`; often empty. */
  readonly metrics: Readonly<Record<string, number>>;
}
