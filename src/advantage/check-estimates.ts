import { nameOf } from '../attribute.js';
import { RllmError } from '../errors.js';
import type { Ragged } from '../ragged.js';
import type { TrajectoryGroup } from '../types/index.js';
import type { AdvantageEstimates } from './estimator.js';
import { TableEstimates } from './table-views.js';

/**
 * Advantages that are known to fit their groups, in one flat buffer: group by group, trajectory by trajectory, token by token. Who
 * holds on to what an estimator of the SDK returned looks into the same buffer: nothing is to be written to it.
 */
export interface CheckedAdvantages {
  /** One value per response token; else one per trajectory. */
  readonly perToken: boolean;
  readonly values: Float64Array;
}

/** Which estimator is to blame. */
export interface EstimatorCall {
  readonly estimator: string;
  /** Who brought it, as in a registry. */
  readonly owner?: string | undefined;
  readonly role: string;
}

/** Number of tokens that a trajectory's advantages are for: the response tokens of its steps in order. */
export function responseTokens({ steps }: TrajectoryGroup['trajectories'][number]): number {
  let tokens = 0;
  for (const { responseIds } of steps) tokens += responseIds.length;
  return tokens;
}

/**
 * The advantages of an estimator of the SDK, which has them in a table of the shape of its rewards: what `checkEstimates` comes to,
 * without a copy and without an array for each group.
 *
 * @returns undefined for all other output, and where something is wrong: for `checkEstimates` to say what.
 */
export function valuesOfTable(output: unknown, rewards: Ragged): CheckedAdvantages | undefined {
  const table = TableEstimates.unseenTable(output);
  if (table === undefined || table.starts !== rewards.starts) return undefined;
  const values = table.flat;
  return copyFinite(values, values, 0) < 0 ? { perToken: false, values } : undefined;
}

/**
 * Copies out what an estimator returned, −0 turned into 0, so that no array of the estimator's is kept.
 *
 * @param output  what `estimate` returned, of any type; checked in shape `[g][i]`, or `[g][i][t]` for all trajectories alike.
 * @param field   which of its two tables.
 * @throws RllmError ESTIMATOR_OUTPUT; the message names estimator, role and group, what was expected and what came.
 */
export function checkEstimates(
  output: unknown,
  groups: readonly TrajectoryGroup[],
  call: EstimatorCall,
  field: 'advantages' | 'returns' = 'advantages',
): CheckedAdvantages {
  const advantages = isRecord(output) ? output[field] : undefined;
  if (!isArrayLike(advantages)) {
    throw fault(call, null, `an object with a list of ${field}, at once`, describe(output));
  }
  if (advantages.length !== groups.length) {
    throw fault(call, null, `${groups.length} groups`, `${advantages.length}`);
  }
  const first = groups.findIndex(({ trajectories }) => trajectories.length > 0);
  const firstGroup = advantages[first];
  const perToken = isArrayLike(firstGroup) && isArrayLike(firstGroup[0]);
  const values = new Float64Array(count(groups, perToken));
  let end = 0;
  for (let g = 0; g < groups.length; g++) {
    const group = groups[g] as TrajectoryGroup;
    const { trajectories } = group;
    const row = listOf(advantages[g], trajectories.length, field, call, group);
    if (!perToken) {
      const wrong = copyFinite(row, values, end);
      if (wrong >= 0) throw notFinite(row[wrong], `${field.slice(0, -1)} ${wrong}`, call, group);
      end += row.length;
      continue;
    }
    for (let i = 0; i < trajectories.length; i++) {
      const trajectory = trajectories[i] as TrajectoryGroup['trajectories'][number];
      const what = `token ${field} of trajectory ${i}`;
      const tokens = listOf(row[i], responseTokens(trajectory), what, call, group);
      const wrong = copyFinite(tokens, values, end);
      if (wrong >= 0) {
        throw notFinite(tokens[wrong], `${field.slice(0, -1)} ${i}, token ${wrong}`, call, group);
      }
      end += tokens.length;
    }
  }
  return { perToken, values };
}

/**
 * The returns of an estimator that gives advantages per token, checked as these are; undefined where it has none apart from them.
 *
 * @throws RllmError ESTIMATOR_OUTPUT, for returns per trajectory too.
 */
export function checkReturns(
  output: AdvantageEstimates,
  groups: readonly TrajectoryGroup[],
  call: EstimatorCall,
): CheckedAdvantages | undefined {
  if (output.returns === undefined || output.returns === output.advantages) return undefined;
  const returns = checkEstimates(output, groups, call, 'returns');
  if (!returns.perToken)
    throw fault(call, null, 'returns per token, as its advantages are', 'one per trajectory');
  return returns;
}

function count(groups: readonly TrajectoryGroup[], perToken: boolean): number {
  let total = 0;
  for (const { trajectories } of groups) {
    if (!perToken) total += trajectories.length;
    else for (const trajectory of trajectories) total += responseTokens(trajectory);
  }
  return total;
}

function listOf(
  value: unknown,
  length: number,
  what: string,
  call: EstimatorCall,
  group: TrajectoryGroup,
): ArrayLike<unknown> {
  if (!isArrayLike(value)) throw fault(call, group, `a list of ${length} ${what}`, describe(value));
  if (value.length !== length) throw fault(call, group, `${length} ${what}`, `${value.length}`);
  return value;
}

/** Copies numbers to `to` from `at` on, −0 as 0. @returns where the first stands that is no finite number; −1 when there is none */
function copyFinite(from: ArrayLike<unknown>, to: Float64Array, at: number): number {
  for (let i = 0; i < from.length; i++) {
    const value = from[i];
    if (typeof value !== 'number' || !Number.isFinite(value)) return i;
    to[at + i] = value + 0;
  }
  return -1;
}

function notFinite(value: unknown, what: string, call: EstimatorCall, group: TrajectoryGroup): RllmError {
  return fault(call, group, `a finite number as ${what}`, describe(value));
}

function fault(call: EstimatorCall, group: TrajectoryGroup | null, expected: string, got: string): RllmError {
  const { estimator, owner, role } = call;
  const who = nameOf({ what: `advantage estimator "${estimator}"`, owner });
  const where = group === null ? '' : `, group "${group.groupId}"`;
  return new RllmError(
    'ESTIMATOR_OUTPUT',
    `${who} was to return ${expected} for role "${role}"${where}, and returned ${got}.`,
    { details: { estimator, role, groupId: group?.groupId ?? null, expected, got } },
  );
}

function describe(value: unknown): string {
  if (typeof value === 'number' || value === undefined || value === null) return String(value);
  if (typeof value === 'string') return `the text "${value}"`;
  if (value instanceof Promise) return 'a promise';
  return isArrayLike(value) ? `a list of ${value.length}` : `a value of type ${typeof value}`;
}

function isRecord(value: unknown): value is {
  readonly advantages?: unknown;
  readonly returns?: unknown;
  readonly length?: unknown;
} {
  return typeof value === 'object' && value !== null;
}

function isArrayLike(value: unknown): value is ArrayLike<unknown> {
  if (!isRecord(value)) return false;
  const { length } = value;
  return typeof length === 'number' && Number.isInteger(length) && length >= 0;
}
