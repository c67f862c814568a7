import type { RunStatus } from '../tracking/index.js';
import type { Json, Metrics } from '../types/index.js';
import type { RunStop } from './run-steering.js';

/** What `trainer.events()` yields and `--json` prints, one line each. */
export type TrainerEvent =
  | {
      readonly event: 'start';
      readonly runId: string;
      readonly runDirectory: string;
      readonly totalSteps: number;
      /** 0 for a new run, else the step it goes on from. */
      readonly resumedFrom: number;
    }
  | {
      readonly event: 'rollouts';
      readonly step: number;
      readonly mode: 'train' | 'val';
      readonly done: number;
      readonly total: number;
    }
  | {
      readonly event: 'step';
      readonly step: number;
      readonly epoch: number;
      readonly totalSteps: number;
      readonly metrics: Metrics;
    }
  | { readonly event: 'validation'; readonly step: number; readonly epoch: number; readonly metrics: Metrics }
  | { readonly event: 'checkpoint'; readonly step: number; readonly directory: string }
  | { readonly event: 'trajectory'; readonly step: number; readonly view: TrajectoryView }
  | { readonly event: 'stop'; readonly step: number; readonly by: string; readonly reason: string }
  | {
      readonly event: 'warning';
      readonly code: string;
      readonly message: string;
      readonly details?: WarningDetails;
    }
  | { readonly event: 'end'; readonly status: RunStatus; readonly summary: RunSummary };

/** What a warning is about, for programs: `{ plugin, hook }` of HOOK_FAILED and HOOK_GIVEN_UP, with `ms` of HOOK_SLOW. */
export type WarningDetails = { readonly [key: string]: Json };

export interface RunSummary {
  readonly status: RunStatus;
  readonly runId: string;
  readonly runDirectory: string;
  readonly steps: number;
  readonly seconds: number;
  /** Metrics of the last step and of the last validation. */
  readonly lastStep: Metrics;
  readonly lastValidation: Metrics;
  readonly checkpoint: string | null;
  /** The plugin that ended a completed run before its plan, and why; null when none did. */
  readonly stopped: RunStop | null;
  readonly error: { readonly code: string; readonly message: string } | null;
}

/** One trajectory, told apart into what the model was given and what it is trained on. */
export interface TrajectoryView {
  readonly taskId: string;
  readonly rolloutIndex: number;
  readonly role: string;
  readonly reward: number | null;
  readonly isCorrect: boolean;
  readonly terminationReason: string;
  /** Text pieces in order: `prompt` and `observation` are masked, `response` trains. */
  readonly pieces: readonly {
    readonly kind: 'prompt' | 'observation' | 'response';
    readonly text: string;
    readonly advantage: number | null;
  }[];
}
