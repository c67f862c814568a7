/** Everything that our run and the rival's have in common. */
export const SETTINGS = {
  numbers: 7,
  turns: 3,
  dModel: 32,
  nLayers: 1,
  nHeads: 4,
  tasksPerStep: 56,
  rolloutsPerTask: 8,
  updateEpochs: 4,
  learningRate: 2e-3,
  maxSteps: 300,
  /** Share of won games of a training batch, next to greedy wins on every number, at which the task counts as learned. */
  target: 0.95,
} as const;

/** What a driver reports of one seed. */
export interface SeedResult {
  readonly seed: number;
  /** Training steps until learned; `null` if it was not. */
  readonly steps: number | null;
  /** Without the start of the process and of the backend. */
  readonly trainingSeconds: number;
}

/** What sampling alone costs, apart from the task. */
export interface SamplingResult {
  readonly tokens: number;
  readonly seconds: number;
}
