import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** What is timed: the quickstart's own config. */
export const CONFIG_FILE: string = fileURLToPath(new URL('../../rllmrc.example.json', import.meta.url));

const { data, rollout, algorithm, workflow, backend } = JSON.parse(readFileSync(CONFIG_FILE, 'utf8'));
const { dModel, nLayers, nHeads } = backend.options.local.model;

/** What our run and the rival's have in common. */
export const SETTINGS = {
  numbers: workflow.options.n as number,
  turns: workflow.options.tries as number,
  dModel: dModel as number,
  nLayers: nLayers as number,
  nHeads: nHeads as number,
  tasksPerStep: data.trainBatchSize as number,
  rolloutsPerTask: rollout.n as number,
  updateEpochs: algorithm.updateEpochs as number,
  learningRate: algorithm.learningRate as number,
  maxSteps: 300,
  /** Share of won games of a training batch, next to greedy wins on every number, at which the task counts as learned. */
  target: 0.95,
};

/** What a driver reports of one seed. */
export interface SeedResult {
  readonly seed: number;
  /** Training steps until the share of won games reached the target; `null` if it did not, or greedy play lost at the end. */
  readonly steps: number | null;
  /** From the start of the process until then. */
  readonly seconds: number;
  /** Mean of a training step. */
  readonly stepMs: number;
}

/** What sampling alone costs, apart from the task. */
export interface SamplingResult {
  readonly tokens: number;
  readonly seconds: number;
}
