import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  rowAdvantages,
  type TrainingRow,
  trajectoryFault,
  trajectoryRows,
} from '../../src/backend/trajectory-rows.js';
import { step, trajectory } from './local/build-local.js';

const LIMITS = { vocabularySize: 20, contextLength: 16 };

test('a step whose prompt extends the sequence so far goes on in the same row, shifted by one token', () => {
  const rows = trajectoryRows(
    trajectory(
      step({ promptIds: [1, 2, 3], responseIds: [10, 11], logprobs: [-1, -2], advantage: 0.5 }),
      step({ promptIds: [1, 2, 3, 10, 11, 4, 5], responseIds: [12], logprobs: [-3], advantage: [0.25] }),
    ),
  );
  expect(rows).toHaveLength(1);
  const [row] = rows as [TrainingRow];
  expect(row.tokens).toEqual([1, 2, 3, 10, 11, 4, 5]);
  expect(row.targets).toEqual([2, 3, 10, 11, 4, 5, 12]);
  expect(row.logprobs).toEqual([0, 0, -1, -2, 0, 0, -3]);
  expect(row.sampled).toEqual([0, 0, 1, 1, 0, 0, 1]);
  expect([...rowAdvantages(row)]).toEqual([0, 0, 0.5, 0.5, 0, 0, 0.25]);
});

test.each([
  ['another token before its end', [1, 2, 3, 10, 9, 4]],
  ['a shorter prompt', [1, 2, 3, 10]],
])('a step begins a new row when its prompt has %s', (_, promptIds) => {
  const rows = trajectoryRows(
    trajectory(
      step({ promptIds: [1, 2, 3], responseIds: [10, 11], logprobs: [-1, -2] }),
      step({ promptIds, responseIds: [12], logprobs: [-3] }),
    ),
  );
  expect(rows.map(({ targets }) => targets.at(-1))).toEqual([11, 12]);
  expect(rows[1]?.tokens).toEqual(promptIds);
});

test.each([
  ['prompt_missing', { promptIds: [], responseIds: [1], logprobs: [-1] }],
  ['logprobs_missing', { promptIds: [1], responseIds: [1], logprobs: [] }],
  ['logprobs_length', { promptIds: [1], responseIds: [1, 2], logprobs: [-1] }],
  ['logprobs_not_finite', { promptIds: [1], responseIds: [1], logprobs: [Number.NaN] }],
  ['token_unknown', { promptIds: [1], responseIds: [20], logprobs: [-1] }],
  ['too_long', { promptIds: new Array<number>(16).fill(1), responseIds: [1], logprobs: [-1] }],
] as const)('a trajectory with one bad step cannot be trained on as a whole: %s', (fault, fields) => {
  const good = step({ promptIds: [1], responseIds: [2], logprobs: [-1] });
  expect(trajectoryFault(trajectory(good, step(fields)), LIMITS)).toBe(fault);
  expect(trajectoryFault(trajectory(good), LIMITS)).toBeUndefined();
});

test('a trajectory without any sampled token cannot be trained on', () => {
  expect(trajectoryFault(trajectory(step({ promptIds: [1] })), LIMITS)).toBe('no_tokens');
  expect(trajectoryFault(trajectory(), LIMITS)).toBe('no_tokens');
});

test('a step without response tokens leaves no trace', () => {
  const good = step({ promptIds: [1], responseIds: [2], logprobs: [-1] });
  expect(trajectoryRows(trajectory(step({ promptIds: [1] }), good, step({ promptIds: [1, 2, 3] })))).toEqual(
    trajectoryRows(trajectory(good)),
  );
});

test('rows hold every sampled token of a conversation once, with its log-prob, after the tokens that the model saw', () => {
  const turn = fc.record({
    observation: fc.array(fc.nat({ max: 19 }), { minLength: 1, maxLength: 2 }),
    reply: fc.array(fc.nat({ max: 19 }), { minLength: 1, maxLength: 2 }),
    isRewritten: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(turn, { minLength: 1, maxLength: 4 }), (turns) => {
      let seen: number[] = [];
      const steps = turns.map(({ observation, reply, isRewritten }, i) => {
        const promptIds = isRewritten ? [...observation] : [...seen, ...observation];
        seen = [...promptIds, ...reply];
        return step({ promptIds, responseIds: reply, logprobs: reply.map((_, k) => -(i * 10 + k + 1)) });
      });
      const found = trajectoryRows(trajectory(...steps)).flatMap((row) =>
        row.targets.flatMap((target, i) =>
          row.sampled[i] === 1
            ? [{ context: row.tokens.slice(0, i + 1), target, logprob: row.logprobs[i] }]
            : [],
        ),
      );
      const expected = steps.flatMap(({ promptIds, responseIds, logprobs }) =>
        responseIds.map((target, k) => ({
          context: [...promptIds, ...responseIds.slice(0, k)],
          target,
          logprob: logprobs[k],
        })),
      );
      expect(found).toEqual(expected);
    }),
  );
});
