import fc from 'fast-check';
import { createStep, createTrajectory, rowBatch, type Step, type Trajectory } from 'rllm-sdk';
import { describe, expect, test } from 'vitest';
import { datumOf } from '../../src/backend/datum.js';

const HOSTED = ['target_tokens', 'logprobs', 'advantages'];
const TX = [...HOSTED, 'weights'];
const LIMITS = { vocabularySize: 1000, contextLength: 1000 };

function step(promptIds: number[], responseIds: number[], logprobs: number[], advantage?: Step['advantage']) {
  return createStep({ promptIds, responseIds, logprobs, ...(advantage === undefined ? {} : { advantage }) });
}

function rowsOf(...steps: Step[]) {
  const trajectory = createTrajectory({ name: 'agent', steps });
  const group = { groupId: 'g', role: 'agent', taskId: 't', trajectories: [trajectory], metadata: [] };
  return rowBatch([group], LIMITS);
}

const lists = (inputs: ReturnType<typeof datumOf>['lossInputs']) =>
  Object.fromEntries(Object.entries(inputs).map(([name, values]) => [name, Array.from(values)]));

describe('two steps of which the second goes on from the first', () => {
  const batch = rowsOf(
    step([1, 2, 3], [10, 11], [-1, -2], 0.5),
    step([1, 2, 3, 10, 11, 4, 5], [12], [-3], 0.5),
  );
  const rows = batch.trajectories[0]?.rows ?? [];

  test('are one datum, every entry predicting the next token', () => {
    expect(rows).toHaveLength(1);
    const datum = datumOf(rows[0]!, TX);
    expect(datum.modelInput).toEqual([1, 2, 3, 10, 11, 4, 5]);
    expect(lists(datum.lossInputs)).toEqual({
      target_tokens: [2, 3, 10, 11, 4, 5, 12],
      logprobs: [0, 0, -1, -2, 0, 0, -3],
      advantages: [0, 0, 0.5, 0.5, 0, 0, 0.5],
      weights: [0, 0, 1, 1, 0, 0, 1],
    });
  });

  test('have the inputs that the engine takes and no others', () => {
    expect(Object.keys(datumOf(rows[0]!, HOSTED).lossInputs)).toEqual(HOSTED);
  });

  test('weigh tokens by advantage where the loss takes no advantages', () => {
    const { lossInputs } = datumOf(rows[0]!, ['target_tokens', 'weights']);
    expect(lists(lossInputs)).toEqual({
      target_tokens: [2, 3, 10, 11, 4, 5, 12],
      weights: [0, 0, 0.5, 0.5, 0, 0, 0.5],
    });
  });
});

test('a step that does not extend the one before, token for token, begins a datum of its own', () => {
  const batch = rowsOf(step([1, 2], [10], [-1], 0.5), step([1, 2, 99, 4], [12], [-3], 0.5));
  expect(batch.trajectories[0]?.rows.map((row) => datumOf(row, TX).modelInput)).toEqual([
    [1, 2],
    [1, 2, 99, 4],
  ]);
});

test('an advantage of its own for each token goes to that token', () => {
  const rows = rowsOf(step([1], [10, 11], [-1, -2], [0.25, -0.75])).trajectories[0]?.rows ?? [];
  expect(Array.from(datumOf(rows[0]!, TX).lossInputs['advantages'] ?? [])).toEqual([0.25, -0.75]);
});

test('trajectories without log-probs are left out', () => {
  expect(rowsOf(step([1], [10], [])).trajectories).toEqual([]);
});

describe('any trajectory', () => {
  const id = fc.integer({ min: 0, max: 999 });
  const turn = fc.record({
    extendsBefore: fc.boolean(),
    said: fc.array(id, { minLength: 1, maxLength: 4 }),
    reply: fc.array(fc.record({ id, logprob: fc.double({ min: -9, max: 0, noNaN: true }) }), {
      minLength: 1,
      maxLength: 4,
    }),
  });
  const advantage = fc.oneof(fc.double({ min: -3, max: 3, noNaN: true }), fc.constant('per token' as const));

  function trajectoryOf(
    turns: readonly (typeof turn extends fc.Arbitrary<infer T> ? T : never)[],
    given: number | 'per token',
  ): Trajectory {
    let whole: number[] = [];
    const steps = turns.map(({ extendsBefore, said, reply }, k) => {
      const promptIds = extendsBefore ? [...whole, ...said] : said;
      const responseIds = reply.map((token) => token.id);
      whole = [...promptIds, ...responseIds];
      return step(
        promptIds,
        responseIds,
        reply.map(({ logprob }) => logprob),
        given === 'per token' ? responseIds.map((_, i) => k + i / 10) : given,
      );
    });
    return createTrajectory({ name: 'agent', steps });
  }

  test('shows every sampled token once with mask 1, its own log-prob and advantage, behind the very tokens it was sampled after', () => {
    fc.assert(
      fc.property(fc.array(turn, { minLength: 1, maxLength: 6 }), advantage, (turns, given) => {
        const { steps } = trajectoryOf(turns, given);
        const rows = rowsOf(...steps).trajectories.flatMap((trajectory) => trajectory.rows);
        const shown = rows.flatMap((row) => {
          const { modelInput, lossInputs } = datumOf(row, TX);
          const { target_tokens: targets = [], logprobs = [], advantages = [], weights = [] } = lossInputs;
          const lengths = [targets, logprobs, advantages, weights].map(({ length }) => length);
          expect(new Set([...lengths, modelInput.length]).size).toBe(1);
          return Array.from(targets, (target, i) => {
            if (i + 1 < modelInput.length) expect(target).toBe(modelInput[i + 1]);
            if (weights[i] === 0) expect([logprobs[i], advantages[i]]).toEqual([0, 0]);
            const before = Array.from(modelInput).slice(0, i + 1);
            return { mask: weights[i], token: [before, target, logprobs[i], advantages[i]] };
          }).filter(({ mask }) => mask === 1);
        });
        const expected = steps.flatMap(({ promptIds, responseIds, logprobs, advantage: own }) =>
          responseIds.map((token, i) => [
            [...promptIds, ...responseIds.slice(0, i)],
            token,
            logprobs[i],
            typeof own === 'number' ? own : own?.[i],
          ]),
        );
        expect(shown.map(({ token }) => token)).toEqual(expected);
      }),
    );
  });

  test('has as many datums as it has breaks, and one more', () => {
    fc.assert(
      fc.property(fc.array(turn, { minLength: 1, maxLength: 6 }), (turns) => {
        const { steps } = trajectoryOf(turns, 1);
        const breaks = steps.slice(1).filter(({ promptIds }, k) => {
          const before = [...steps[k]!.promptIds, ...steps[k]!.responseIds];
          return !before.every((token, i) => promptIds[i] === token);
        }).length;
        expect(rowsOf(...steps).trajectories[0]?.rows).toHaveLength(breaks + 1);
      }),
    );
  });
});
