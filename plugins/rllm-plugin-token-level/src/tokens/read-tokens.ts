import { RllmError, type Step, type Trajectory, type TrajectoryGroup } from 'rllm-sdk';
import { type TokenTable, tableOf } from './token-table.js';

/** A field of a step that has a number for each response token. */
export type TokenField = 'logprobs' | 'values' | 'referenceLogprobs';

/** Number of sampled tokens of each trajectory, `[g][i]`. */
export function readLengths(groups: readonly TrajectoryGroup[]): number[][] {
  return groups.map(({ trajectories }) => trajectories.map(lengthOf));
}

/**
 * A field of all steps as one table.
 *
 * @param estimator  whose need it is, for messages.
 * @throws RllmError ESTIMATOR_INPUT when a step has no such field, another number of entries than response tokens, or one that
 *   is not finite; the message names the step.
 */
export function readTokens(
  groups: readonly TrajectoryGroup[],
  field: TokenField,
  estimator: string,
): TokenTable {
  const table = tableOf(readLengths(groups));
  let end = 0;
  forEachStep(groups, (step, place) => {
    const values = step[field] ?? [];
    checkLength(values, step, field, estimator, place);
    for (let t = 0; t < values.length; t++) {
      table.flat[end++] = finite(values[t], t, field, estimator, place);
    }
  });
  return table;
}

/**
 * Log-probs of the teacher, `[g][i][t]`: null for a token that it has none for, and for all tokens of a step without any.
 *
 * @throws RllmError ESTIMATOR_INPUT as `readTokens` does: a list of another length is never padded or cut.
 */
export function readTeacher(
  groups: readonly TrajectoryGroup[],
  estimator: string,
): (readonly (number | null)[])[][] {
  const rows = groups.map(({ trajectories }) => trajectories.map((): (number | null)[] => []));
  forEachStep(groups, (step, place, g, i) => {
    const { teacherLogprobs, responseIds } = step;
    const row = rows[g]?.[i] ?? [];
    if (teacherLogprobs === undefined) {
      for (let t = 0; t < responseIds.length; t++) row.push(null);
      return;
    }
    checkLength(teacherLogprobs, step, 'teacherLogprobs', estimator, place);
    teacherLogprobs.forEach((value, t) => {
      row.push(value === null ? null : finite(value, t, 'teacherLogprobs', estimator, place));
    });
  });
  return rows;
}

function lengthOf({ steps }: Trajectory): number {
  return steps.reduce((total, { responseIds }) => total + responseIds.length, 0);
}

/** A step, as messages name it. */
export interface StepPlace {
  readonly name: string;
  readonly details: Readonly<Record<string, unknown>>;
}

function forEachStep(
  groups: readonly TrajectoryGroup[],
  visit: (step: Step, place: () => StepPlace, g: number, i: number) => void,
): void {
  groups.forEach((group, g) => {
    group.trajectories.forEach(({ steps }, i) => {
      steps.forEach((step, s) => {
        visit(step, () => placeOf(group, i, s), g, i);
      });
    });
  });
}

/** @param s  which step of trajectory i. */
export function placeOf(
  { taskId, role, metadata, trajectories }: TrajectoryGroup,
  i: number,
  s: number,
): StepPlace {
  const rolloutIndex = metadata[i]?.rolloutIndex ?? i;
  const stepId = trajectories[i]?.steps[s]?.id ?? '';
  return {
    name: `step ${s} ("${stepId}") of rollout ${rolloutIndex} of task "${taskId}", role "${role}"`,
    details: { stepId, taskId, role, rolloutIndex },
  };
}

function checkLength(
  values: readonly unknown[],
  { responseIds }: Step,
  field: string,
  estimator: string,
  place: () => StepPlace,
): void {
  if (values.length === responseIds.length) return;
  const { name, details } = place();
  throw new RllmError(
    'ESTIMATOR_INPUT',
    `${estimator} needs step.${field} for every response token: ${name} has ${responseIds.length} tokens and ${values.length} entries.`,
    { details: { ...details, field, expected: responseIds.length, got: values.length } },
  );
}

function finite(value: unknown, t: number, field: string, estimator: string, place: () => StepPlace): number {
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  const { name, details } = place();
  throw new RllmError(
    'ESTIMATOR_INPUT',
    `${estimator} needs finite step.${field}: ${name} has ${String(value)} at token ${t}.`,
    { details: { ...details, field, token: t } },
  );
}
