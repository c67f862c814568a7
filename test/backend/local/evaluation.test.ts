import { expect, test } from 'vitest';
import {
  answerLogprobs,
  answerValues,
  type EvaluationBatch,
  evaluationOf,
} from '../../../src/backend/local/evaluation.js';
import { emptyRows } from '../../../src/backend/local/packed-rows.js';
import { trajectoryRows } from '../../../src/backend/trajectory-rows.js';
import { stream } from '../../../src/random.js';
import type { Step } from '../../../src/types/index.js';
import { step, trajectory } from './build-local.js';

/** A number that tells a sequence from every other. */
function signature(tokens: readonly number[]): number {
  return tokens.reduce((sum, token) => (sum * 31 + token + 1) % 1_000_003, 7);
}

/** What an entry of packed rows sees, itself included. */
function contextOf({ length, tokens, ends }: EvaluationBatch, entry: number): number[] {
  const start = entry - (entry % length);
  const seen = Array.from({ length: (entry % length) + 1 }, (_, j) => j);
  return seen
    .filter((j) => entry - start < (ends[start + j] as number))
    .map((j) => tokens[start + j] as number);
}

test('each step gets the answers for its own tokens after what came before them, however rows are packed', () => {
  const random = stream(1, 'conversations');
  const words = (count: number): number[] => Array.from({ length: count }, () => random.int(5));
  const trajectories = Array.from({ length: 120 }, () => {
    const steps: Step[] = [];
    let promptIds = [0, ...words(random.int(3))];
    for (let turn = 0; turn < 3; turn++) {
      const responseIds = words(random.int(6));
      steps.push(step({ promptIds, responseIds, logprobs: responseIds.map(() => -1) }));
      promptIds = random.next() < 0.7 ? [...promptIds, ...responseIds, ...words(2)] : [0, ...words(4)];
    }
    return trajectory(...steps);
  });
  const rows = trajectories.flatMap(trajectoryRows);
  const { batches, deal } = evaluationOf(rows);
  expect(batches.length).toBeGreaterThan(3);
  const answers = batches.map((batch) =>
    Float64Array.from(batch.entries, (entry, i) =>
      signature([...contextOf(batch, entry), batch.targets[i] as number]),
    ),
  );
  const dealt = new Map<Step, number[]>();
  deal(answers, (to, own) => dealt.set(to, own));
  const asked = trajectories
    .flatMap(({ steps }) => steps)
    .filter(({ responseIds }) => responseIds.length > 0);
  expect(dealt.size).toBe(asked.length);
  for (const one of asked) {
    const { promptIds, responseIds } = one;
    expect(dealt.get(one)).toEqual(
      responseIds.map((_, t) => signature([...promptIds, ...responseIds.slice(0, t + 1)])),
    );
  }
});

test('nothing asked is nothing computed', () => {
  expect(evaluationOf([]).batches).toEqual([]);
});

test('answers are read from the context that a token came after', () => {
  const batch = { ...emptyRows(1, 2), entries: Int32Array.of(1, 1, 0), targets: Int32Array.of(0, 1, 0) };
  const logits = Float32Array.of(0, 0, Math.log(3), 0);
  const logprobs = answerLogprobs(batch, logits, 2);
  for (const [i, p] of [0.75, 0.25, 0.5].entries()) expect(logprobs[i]).toBeCloseTo(Math.log(p), 6);
  expect([...answerValues(batch, Float32Array.of(-1, 2))]).toEqual([2, 2, -1]);
});
