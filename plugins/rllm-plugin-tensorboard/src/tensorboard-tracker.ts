import { join } from 'node:path';
import type { RunStatus, Tracker, TrackerContext, TrackerDefinition, TrackerRecord } from 'rllm-sdk';
import { EventFile } from './event-file.js';
import type { TensorBoardOptions } from './tensorboard-options.js';

/** `tracking.trackers: ["tensorboard"]`. */
export function tensorBoardTracker(options: TensorBoardOptions): TrackerDefinition {
  return {
    name: 'tensorboard',
    summary: 'writes TensorBoard event files into the folder of the run',
    create: (context) => new TensorBoardTracker(options, context),
  };
}

/**
 * Every metric as a scalar at its step, under its own name; the configuration and how the run ended as texts.
 *
 * A resumed run begins a file of its own, which tells TensorBoard to forget the steps that are redone.
 */
class TensorBoardTracker implements Tracker {
  readonly name = 'tensorboard';
  readonly #folder: string;
  readonly #context: TrackerContext;
  #file: EventFile | undefined;
  #step: number;

  /** @throws Error when the run has no folder. */
  constructor({ folder }: TensorBoardOptions, context: TrackerContext) {
    if (context.runDirectory === '')
      throw new Error('this run writes nothing, and so has no place for event files');
    this.#folder = join(context.runDirectory, folder);
    this.#context = context;
    this.#step = context.resumedFrom;
  }

  async log({ step, metrics }: TrackerRecord): Promise<void> {
    this.#step = step;
    if (Object.keys(metrics).length === 0) return;
    await (await this.#open()).append(step, { kind: 'scalars', values: metrics });
  }

  async finish(status: RunStatus): Promise<void> {
    const file = await this.#open();
    try {
      await file.append(this.#step, { kind: 'text', tag: 'status', text: status });
    } finally {
      await file.close();
    }
  }

  async #open(): Promise<EventFile> {
    if (this.#file !== undefined) return this.#file;
    const { resumedFrom, config, runId } = this.#context;
    const file = await EventFile.create(this.#folder);
    this.#file = file;
    if (file.isLater) await file.append(firstRedone(resumedFrom), { kind: 'sessionStart' });
    await file.append(resumedFrom, { kind: 'text', tag: 'config', text: codeBlock(config) });
    await file.append(resumedFrom, { kind: 'text', tag: 'run', text: runId });
    return file;
  }
}

/**
 * The first step that a resumed run logs again. Of the step that it goes on from everything is kept, a validation after it
 * included; a run without a checkpoint begins anew, with a validation of step 0.
 */
function firstRedone(resumedFrom: number): number {
  return resumedFrom === 0 ? 0 : resumedFrom + 1;
}

/** Four spaces make code of a line in Markdown. */
function codeBlock(value: unknown): string {
  return JSON.stringify(value, null, 2).replaceAll(/^/gm, '    ');
}
