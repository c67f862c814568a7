import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  createEpisode,
  createStep,
  createTrajectory,
  type Episode,
  TERMINATION_REASONS,
} from '../../src/types/index.js';

// JSON has one zero, no NaN and no infinity; rewards that are not finite are refused by the core.
const number = fc.double({ noNaN: true, noDefaultInfinity: true }).map((x) => (x === 0 ? 0 : x));
const json = fc.jsonValue({ maxDepth: 2 }).map((value) => JSON.parse(JSON.stringify(value)) as unknown);
const info = fc.dictionary(fc.string(), json, { maxKeys: 3 });
const optional = { requiredKeys: [] as [] };

const step = fc
  .record(
    {
      id: fc.string({ minLength: 1 }),
      promptIds: fc.array(fc.nat(), { maxLength: 4 }),
      tokens: fc.array(fc.tuple(fc.nat(), number), { maxLength: 4 }),
      chatCompletions: fc.array(
        fc.record({ role: fc.constantFrom('system', 'user', 'assistant'), content: fc.string() }),
        { maxLength: 3 },
      ),
      observation: json,
      thought: fc.string(),
      action: json,
      modelResponse: fc.string(),
      reward: number,
      done: fc.boolean(),
      mcReturn: number,
      advantage: fc.oneof(number, fc.array(number, { maxLength: 3 })),
      weightVersion: fc.nat(),
      info,
    },
    optional,
  )
  .map(({ tokens = [], ...rest }) =>
    createStep({
      ...rest,
      responseIds: tokens.map(([id]) => id),
      logprobs: tokens.map(([, logprob]) => logprob),
    }),
  );

const trajectory = fc
  .record(
    {
      uid: fc.string(),
      name: fc.string(),
      task: json,
      steps: fc.array(step, { maxLength: 3 }),
      reward: number,
      info,
    },
    optional,
  )
  .map((init) => createTrajectory(init));

const episode = fc
  .record(
    {
      taskId: fc.string(),
      rolloutIndex: fc.nat(),
      task: json,
      terminationReason: fc.constantFrom(...TERMINATION_REASONS),
      isCorrect: fc.boolean(),
      trajectories: fc.array(trajectory, { maxLength: 3 }),
      metrics: fc.dictionary(fc.string(), number, { maxKeys: 3 }),
      info,
    },
    { requiredKeys: ['taskId', 'rolloutIndex'] },
  )
  .map((init) => createEpisode(init));

describe('an episode through JSON', () => {
  test('loses nothing and gains nothing', () => {
    fc.assert(
      fc.property(episode, (before) => {
        expect(JSON.parse(JSON.stringify(before))).toStrictEqual(before);
      }),
    );
  });

  test('may go through the builders again unchanged', () => {
    fc.assert(
      fc.property(episode, (before) => {
        const read = JSON.parse(JSON.stringify(before)) as Episode;
        const trajectories = read.trajectories.map((one) =>
          createTrajectory({ ...one, steps: one.steps.map(createStep) }),
        );
        expect(createEpisode({ ...read, trajectories })).toStrictEqual(before);
      }),
    );
  });

  test('keeps a task id whatever it holds, and never parses it', () => {
    fc.assert(
      fc.property(fc.string(), fc.nat(), (taskId, rolloutIndex) => {
        expect(createEpisode({ taskId, rolloutIndex })).toMatchObject({ taskId, rolloutIndex });
      }),
    );
    expect(createEpisode({ taskId: 'gsm8k:12', rolloutIndex: 3 }).id).toBe('gsm8k:12:3');
  });
});
