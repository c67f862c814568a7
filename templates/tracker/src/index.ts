import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  definePlugin,
  type Tracker,
  type TrackerContext,
  type TrackerDefinition,
  type TrackerRecord,
} from 'rllm-sdk';

/** Writes a row for each metric of each step into `example_part.csv` of the run's folder. */
export class ExampleTracker implements Tracker {
  readonly name = 'example_part';
  readonly #file: string;

  constructor({ runDirectory }: TrackerContext) {
    this.#file = join(runDirectory, 'example_part.csv');
  }

  async log({ step, kind, metrics }: TrackerRecord): Promise<void> {
    const rows = Object.entries(metrics).map(([name, value]) => `${step},${kind},${name},${value}\n`);
    await appendFile(this.#file, rows.join(''));
  }

  async finish(): Promise<void> {}
}

export const exampleTracker: TrackerDefinition = {
  name: 'example_part',
  summary: 'metrics as rows of a CSV file',
  create: (context) => new ExampleTracker(context),
};

export default definePlugin({
  name: 'rllm-plugin-example',
  apiVersion: 1,
  trackers: [exampleTracker],
});
