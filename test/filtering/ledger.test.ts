import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { selectTrainable } from '../../src/advantage/index.js';
import type { RejectionSamplingConfig } from '../../src/config/types.js';
import {
  applyRejectionSampling,
  DROP_REASONS,
  type Ledger,
  settleLedger,
} from '../../src/filtering/index.js';
import {
  EMPTY_REJECTION_STATE,
  type Episode,
  type RejectionSamplingState,
  TERMINATION_REASONS,
} from '../../src/types/index.js';
import { algorithm } from '../advantage/support.js';
import { episode, trajectory, transform } from '../grouping/support.js';

interface Stages {
  readonly ledger: Ledger;
  readonly state: RejectionSamplingState;
}

/** The stages of a step that leave rollouts out, in their order. */
function step(
  episodes: readonly Episode[],
  rejection: Partial<RejectionSamplingConfig> = {},
  carried: RejectionSamplingState = EMPTY_REJECTION_STATE,
): Stages {
  const config = { mode: 'none', minPartialSolveTasks: 1, minTrajsPerGroup: 1, ...rejection } as const;
  const grouped = transform(episodes, { compactFiltering: { enable: true, maskTimeout: true } });
  const selected = selectTrainable(
    grouped.groups,
    algorithm({ missingReward: 'exclude', loneTrajectory: 'drop' }),
  );
  const kept = applyRejectionSampling(episodes, selected.groups, config, carried);
  const ledger = settleLedger({
    started: episodes,
    carried: carried.episodes,
    waiting: kept.state.episodes,
    trained: kept.groups,
    dropped: [...grouped.dropped, ...selected.dropped, ...kept.dropped],
  });
  return { ledger, state: kept.state };
}

function total({ trained, waiting, dropped }: Ledger): number {
  return trained + waiting + [...dropped.values()].reduce((sum, count) => sum + count, 0);
}

test('every rollout is trained or dropped for one reason', () => {
  const { ledger } = step(
    [
      episode('a', 0, [trajectory('solver', 1)]),
      episode('a', 1, [trajectory('solver', 0)]),
      episode('a', 2, [trajectory('solver', 0)], { reason: 'timeout' }),
      episode('a', 3, [], { reason: 'error' }),
      episode('a', 4, [trajectory('solver', Number.NaN)]),
      episode('b', 0, [trajectory('solver', 1)]),
      episode('c', 0, [trajectory('solver', 1)]),
      episode('c', 1, [trajectory('solver', 1)]),
    ],
    { mode: 'group' },
  );
  expect(ledger.metrics).toEqual({
    'ledger/started': 8,
    'ledger/trained': 2,
    'ledger/dropped/failed': 1,
    'ledger/dropped/filtered_timeout': 1,
    'ledger/dropped/unscored': 1,
    'ledger/dropped/lone_trajectory': 1,
    'ledger/dropped/uniform_group': 2,
  });
  expect(ledger.explanation).toBeNull();
});

describe('a rollout of several trajectories', () => {
  test('is trained when one of them is', () => {
    const { ledger } = step([
      episode('t', 0, [trajectory('solver', 1), trajectory('judge', 1)]),
      episode('t', 1, [trajectory('solver', 0), trajectory('judge', 1, [])]),
    ]);
    expect([ledger.trained, ledger.dropped.size]).toEqual([2, 0]);
  });

  test('counts under the reason that came nearest to training', () => {
    const { ledger } = step(
      [0, 1].map((k) => episode('t', k, [trajectory('judge', 1, []), trajectory('solver', 1)])),
      { mode: 'group' },
    );
    expect([...ledger.dropped]).toEqual([['uniform_group', 2]]);
  });
});

describe('rollouts that wait', () => {
  const partly = (taskId: string): Episode[] =>
    [1, 0].map((reward, k) =>
      episode(taskId, k, [trajectory('solver', reward)], { isCorrect: reward === 1 }),
    );
  const config = { mode: 'episode', minPartialSolveTasks: 2 } as const;

  test('are carried from step to step, also when a task comes back under the same id', () => {
    const first = step(partly('a'), config);
    expect(first.ledger.metrics).toMatchObject({
      'ledger/started': 2,
      'ledger/waiting': 2,
      'ledger/trained': 0,
    });
    expect(first.ledger.explanation).toMatch(/2 wait/);
    const second = step(partly('a'), config, first.state);
    expect(second.ledger.metrics).toEqual({
      'ledger/started': 2,
      'ledger/carried': 2,
      'ledger/waiting': 0,
      'ledger/trained': 4,
    });
  });
});

describe('why a step trained on nothing', () => {
  test('is one sentence with the counts', () => {
    const { ledger } = step(
      [
        episode('a', 0, [trajectory('solver', 1)]),
        episode('a', 1, [trajectory('solver', 1)]),
        episode('a', 2, [trajectory('solver', 1)], { reason: 'timeout' }),
      ],
      { mode: 'group' },
    );
    expect(ledger.explanation).toBe(
      `Trained on none of 3 rollouts: 1 ${DROP_REASONS.filtered_timeout}; 2 ${DROP_REASONS.uniform_group}.`,
    );
  });

  test('is that there was nothing', () => {
    expect(step([]).ledger.explanation).toBe('Trained on nothing: the batch had no rollouts.');
  });

  test('is that no update took them, when no stage dropped them', () => {
    const started = [episode('t', 0, [trajectory('solver', 1)])];
    const { dropped } = settleLedger({ started, trained: [], dropped: [] });
    expect([...dropped]).toEqual([['not_trained', 1]]);
  });
});

test('the counts sum to the rollouts started, whatever happens', () => {
  const anyTrajectory = fc.record({
    role: fc.constantFrom(undefined, 'solver', 'judge'),
    reward: fc.constantFrom(undefined, 0, 1, Number.NaN),
    steps: fc.constantFrom<readonly number[]>([], [0], [0, 1]),
  });
  const anyEpisode = fc.record({
    taskId: fc.constantFrom('a', 'b', 'a:b'),
    trajectories: fc.array(anyTrajectory, { maxLength: 3 }),
    reason: fc.constantFrom(undefined, ...TERMINATION_REASONS),
    isCorrect: fc.boolean(),
  });
  const batch = fc.array(anyEpisode, { maxLength: 8 }).map((all) =>
    all.map(({ taskId, trajectories, reason, isCorrect }, k) =>
      episode(
        taskId,
        k,
        trajectories.map(({ role, reward, steps }) => trajectory(role, reward, steps)),
        { isCorrect, ...(reason === undefined ? {} : { reason }) },
      ),
    ),
  );
  const config = fc.record({
    mode: fc.constantFrom('none', 'group', 'episode' as const),
    minPartialSolveTasks: fc.nat({ max: 3 }),
    minTrajsPerGroup: fc.nat({ max: 3 }),
  });
  fc.assert(
    fc.property(fc.array(batch, { maxLength: 4 }), config, (batches, rejection) => {
      let state = EMPTY_REJECTION_STATE;
      let started = 0;
      let settled = 0;
      for (const own of batches) {
        const result = step(own, rejection, state);
        expect(total(result.ledger)).toBe(result.ledger.started + result.ledger.carried);
        expect(result.ledger.dropped.has('not_trained')).toBe(false);
        state = result.state;
        started += own.length;
        settled += total(result.ledger) - result.ledger.waiting;
      }
      expect(settled + state.episodes.length).toBe(started);
    }),
  );
});
