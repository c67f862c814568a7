import { RllmError } from '../errors.js';
import { show } from '../field-checks.js';
import type { SamplingParams } from '../rollout/index.js';
import {
  checkStep,
  copyPlain,
  type Message,
  type MetricRule,
  type ModelOutput,
  type Trajectory,
} from '../types/index.js';
import { type AskModel, RecordingAgent } from './recording-agent.js';
import type { Agent } from './workflow.js';

/** What an attempt has recorded: copies, which later changes by the workflow do not reach. */
export interface Recording {
  /** Committed ones first, then those of agents with steps in the order in which the agents were made. */
  readonly trajectories: readonly Trajectory[];
  readonly metrics: Readonly<Record<string, number>>;
  /** Of metrics that are not averaged. */
  readonly metricRules: Readonly<Record<string, MetricRule>>;
}

export const METRIC_RULES: readonly MetricRule[] = ['mean', 'sum', 'min', 'max'];

/** Makes one model call, the `turn`-th of a line of calls. */
export type NumberedCall = (
  lane: number,
  turn: number,
  messages: readonly Message[],
  sampling: SamplingParams | undefined,
) => Promise<ModelOutput>;

/** Collects what one attempt of a rollout leaves behind. Once it is closed, nothing enters any more. */
export class Recorder {
  readonly #uidPrefix: string;
  readonly #call: NumberedCall;
  readonly #agents: RecordingAgent[] = [];
  readonly #committed: Trajectory[] = [];
  readonly #metrics: Record<string, number> = {};
  readonly #metricRules: Record<string, MetricRule> = {};
  #lanes = 0;
  #isClosed = false;

  /** @param uidPrefix  from the rollout's identity; uids of agents begin with it. */
  constructor(uidPrefix: string, call: NumberedCall) {
    this.#uidPrefix = uidPrefix;
    this.#call = call;
  }

  agent(role: string, messages: readonly Message[] = []): Agent {
    if (typeof role !== 'string' || role === '') {
      throw new RllmError('WORKFLOW_FAILED', `An agent needs a role, a text; got ${JSON.stringify(role)}.`);
    }
    if (!Array.isArray(messages)) {
      throw new RllmError(
        'WORKFLOW_FAILED',
        `The agent "${role}" begins with a list of messages; got ${show(messages)}.`,
      );
    }
    const uid = `${this.#uidPrefix}/${this.#agents.length}`;
    const agent = new RecordingAgent(role, uid, messages, this.openLane());
    this.#agents.push(agent);
    return agent;
  }

  /** A numbered line of model calls, made one after another. */
  openLane(): AskModel {
    const lane = this.#lanes++;
    let turn = 0;
    return (messages, sampling) => this.#call(lane, turn++, messages, sampling);
  }

  /**
   * @throws RllmError WORKFLOW_FAILED for a trajectory without steps, or one committed before.
   * @throws RllmError STEP_MALFORMED as `checkStep` does.
   */
  commit(trajectory: Trajectory, allowEmpty: boolean): void {
    if (this.#isClosed) return;
    checkTrajectory(trajectory, 'A committed trajectory');
    const { uid, name, steps } = trajectory;
    if (steps.length === 0 && !allowEmpty) {
      throw new RllmError(
        'WORKFLOW_FAILED',
        `The trajectory "${name}" was committed without steps; record a model call first, or pass { allowEmpty: true }.`,
      );
    }
    if (this.#isCommitted(uid)) {
      throw new RllmError('WORKFLOW_FAILED', `The trajectory "${name}" was committed twice (uid "${uid}").`);
    }
    this.#committed.push(copyPlain(trajectory));
    this.#agents.find((agent) => agent.trajectory.uid === uid)?.retire();
  }

  /** @throws RllmError WORKFLOW_FAILED when the value is not a finite number, or the rule is none. */
  metric(name: string, value: number, rule: MetricRule): void {
    if (this.#isClosed) return;
    if (!Number.isFinite(value)) {
      throw new RllmError(
        'WORKFLOW_FAILED',
        `The metric "${name}" must be a finite number; got ${String(value)}.`,
      );
    }
    if (!METRIC_RULES.includes(rule)) {
      throw new RllmError(
        'WORKFLOW_FAILED',
        `The metric "${name}" was given the rule ${JSON.stringify(rule)}; it is one of ${METRIC_RULES.join(', ')}.`,
      );
    }
    this.#metrics[name] = value;
    if (rule !== 'mean') this.#metricRules[name] = rule;
  }

  /** Ends the recording and returns it. */
  close(): Recording {
    this.#isClosed = true;
    const trajectories = [...this.#committed];
    for (const agent of this.#agents) {
      const { uid, steps } = agent.trajectory;
      if (steps.length > 0 && !this.#isCommitted(uid)) trajectories.push(agent.snapshot());
    }
    return { trajectories, metrics: this.#metrics, metricRules: this.#metricRules };
  }

  #isCommitted(uid: string): boolean {
    return this.#committed.some((trajectory) => trajectory.uid === uid);
  }
}

/**
 * Checks the shape of a trajectory that a workflow gives.
 *
 * @param what  how the message begins, for example `A committed trajectory`.
 */
export function checkTrajectory(trajectory: Trajectory, what: string): void {
  if (typeof trajectory?.name !== 'string' || !Array.isArray(trajectory.steps)) {
    throw new RllmError(
      'WORKFLOW_FAILED',
      `${what} needs a name and a list of steps; make it with createTrajectory.`,
    );
  }
  for (const step of trajectory.steps) checkStep(step, step.id);
}
