import { expect, test } from 'vitest';
import { resolveConfig } from '../../src/config/index.js';
import { stateOf } from '../../src/testing/backend-subject.js';
import { groupOf } from '../../src/testing/index.js';
import type { RunContext } from '../../src/trainer/run-context.js';
import { rejectAndFilter, type StepWork } from '../../src/trainer/stages.js';

// More than a call takes arguments.
const MANY = 200_000;

test('a stage that leaves out 200,000 groups names each', () => {
  const config = resolveConfig({ rejectionSample: { mode: 'group' } });
  const state = stateOf(
    1,
    Array.from({ length: MANY }, () => groupOf([1, 1])),
  );
  const work: StepWork = {
    batch: { epoch: 0, items: [], next: { epoch: 0, index: 0 }, startsEpoch: true, endsEpoch: false },
    rollouts: 0,
    generated: [],
    baselines: [],
    rewards: undefined,
    solved: undefined,
    grouped: [],
    carried: [],
    dropped: [],
    skipped: null,
  };
  rejectAndFilter({ parts: { config, backend: {} } } as RunContext, state, work);
  expect(work.dropped).toHaveLength(MANY);
  expect(new Set(work.dropped.map(({ reason }) => reason))).toEqual(new Set(['uniform_group']));
  expect(state.trajectoryGroups).toEqual([]);
});
