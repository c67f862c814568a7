import type { SamplingParams } from '../rollout/index.js';
import type { StandardSchema } from '../standard-schema.js';
import type {
  Episode,
  Message,
  MetricRule,
  ModelOutput,
  Step,
  TerminationReason,
  Trajectory,
} from '../types/index.js';

/** A task as the workflow sees it: the dataset's row, whatever its shape. */
export type Task = Readonly<Record<string, unknown>>;

/**
 * The agent of one role in one rollout: it keeps the conversation and records each model call as a step.
 *
 * What it has recorded is collected when the rollout ends, however it ends. Agents may run side by side; one agent makes
 * one call at a time.
 */
export interface Agent {
  readonly trajectory: Trajectory;
  readonly messages: readonly Message[];
  /**
   * Adds messages (a text is a user's), asks the model, adds its reply, records a step. A call that fails changes nothing.
   *
   * @throws RllmError ROLLOUT_FAILED with the cause, when the model call failed; errors of the SDK pass as they are.
   * @throws RllmError ABORTED after the end of the rollout.
   */
  respond(input: string | Message | readonly Message[], sampling?: SamplingParams): Promise<ModelOutput>;
  /**
   * Sets the reward of the last step and, where they are given, named parts of the reward of the whole trajectory
   * (`trajectory.rewards`): `agent.reward(1.5, { correct: 1, format: 0.5 })`. Parts given before under other names stay.
   *
   * @throws RllmError WORKFLOW_FAILED when there is no step yet.
   */
  reward(reward: number, parts?: Readonly<Record<string, number>>): void;
  /** The last step, to annotate. */
  readonly lastStep: Step | undefined;
}

/** What a workflow is given for one attempt of one rollout. */
export interface WorkflowContext<Options = unknown> {
  readonly taskId: string;
  readonly rolloutIndex: number;
  /** 1-based. */
  readonly attempt: number;
  readonly mode: 'train' | 'val';
  /** Training step at hand; 0 before the first. */
  readonly step: number;
  readonly options: Options;
  /** Fires at the deadline and when the run stops. */
  readonly signal: AbortSignal;
  /** A new agent for a role; call it again for a second trajectory of the same role. */
  agent(role: string, messages?: readonly Message[]): Agent;
  /** A bare model call that records nothing; throws as `respond` does. */
  model(messages: readonly Message[], sampling?: SamplingParams): Promise<ModelOutput>;
  /**
   * Adds a finished trajectory to the episode (a deep copy), before those of agents. One without steps is an error unless
   * `allowEmpty`, and so is one committed twice. After the end of the rollout it does nothing.
   */
  commit(trajectory: Trajectory, options?: { readonly allowEmpty?: boolean }): void;
  /** Ends the rollout with a reason; never returns. */
  terminate(reason: TerminationReason): never;
  /** Sets a number in the episode's metrics. Over the rollouts of a batch it is averaged, or reduced by the rule given. */
  metric(name: string, value: number, rule?: MetricRule): void;
}

/**
 * One rollout of an agent on a task.
 *
 * Return nothing: what was committed and what agents recorded becomes the episode, with reason `env_done`, completed by
 * `postprocessEpisode` (rewards, correctness, metrics). Return an episode made with `createEpisode`: its fields win, and
 * what it leaves out, the trajectories included, is completed the same way. A new instance is made for every attempt, so
 * no state leaks between rollouts.
 */
export abstract class Workflow<Options = unknown> {
  protected readonly context: WorkflowContext<Options>;

  constructor(context: WorkflowContext<Options>) {
    this.context = context;
  }

  abstract run(task: Task): Promise<Episode | undefined> | Promise<void>;
}

export type WorkflowFunction<Options = unknown> = (
  task: Task,
  context: WorkflowContext<Options>,
) => Promise<Episode | undefined> | Promise<void>;

export type WorkflowClass<Options = unknown> = new (context: WorkflowContext<Options>) => Workflow<Options>;

/** A workflow that can be named in the config; made by `defineWorkflow`. */
export interface WorkflowDefinition<Options = unknown> {
  readonly name: string;
  readonly summary?: string;
  /** Validates `workflow.options` at start. */
  readonly options?: StandardSchema<unknown, Options>;
  /** A method, so that definitions with options of any type fit one list. */
  run(task: Task, context: WorkflowContext<Options>): ReturnType<WorkflowFunction>;
}
