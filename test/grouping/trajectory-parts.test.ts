import { describe, expect, test } from 'vitest';
import { collectRewardsAndAdvantages } from '../../src/advantage/index.js';
import { applyRejectionSampling, settleLedger } from '../../src/filtering/index.js';
import type { GroupingHook } from '../../src/grouping/index.js';
import { fromRejectionRecord, toRejectionRecord } from '../../src/trainer/rejection-record.js';
import {
  type Episode,
  type Trajectory,
  type TrajectoryGroup,
  trajectoryPart,
  wholeOf,
} from '../../src/types/index.js';
import { algorithm, builtInRegistry } from '../advantage/support.js';
import { episode, leftOut, trajectory, transform } from './support.js';

/** Each step on its own, by its position; its own reward. */
const byPosition: GroupingHook = (episodes) => {
  const groups: (TrajectoryGroup & {
    trajectories: Trajectory[];
    metadata: Episode[];
  })[] = [];
  for (const one of episodes) {
    for (const whole of one.trajectories) {
      whole.steps.forEach((step, s) => {
        groups[s] ??= {
          groupId: `#${s}`,
          role: whole.name,
          taskId: one.taskId,
          trajectories: [],
          metadata: [],
        };
        groups[s].trajectories.push(trajectoryPart(whole, s, s + 1, step.reward));
        groups[s].metadata.push(one);
      });
    }
  }
  return groups;
};

const walks = (): Episode[] => [
  episode('t', 0, [trajectory('walker', 1, [0, 1])], { isCorrect: true }),
  episode('t', 1, [trajectory('walker', 0, [1, 0, 0])]),
];

function groupOfOne(trajectories: readonly Trajectory[], episodes: readonly Episode[]): TrajectoryGroup {
  const metadata = trajectories.map((one) => {
    const own = episodes.find((candidate) => candidate.trajectories.includes(wholeOf(one)));
    return own ?? episode('?', 0, []);
  });
  return { groupId: 'g', role: 'walker', taskId: 't', trajectories, metadata };
}

describe('a grouping hook that compares parts', () => {
  test('gives credit to the steps of the rollouts themselves', () => {
    const episodes = walks();
    const { groups, dropped } = transform(episodes, { hook: byPosition });
    expect(dropped).toEqual([]);
    collectRewardsAndAdvantages(groups, algorithm({ normAdvByStdInGrpo: false, loneTrajectory: 'zero' }), {
      registry: builtInRegistry(),
    });
    expect(
      episodes.map(({ trajectories }) => trajectories[0]?.steps.map(({ advantage }) => advantage)),
    ).toEqual([
      [-0.5, 0.5],
      [0.5, -0.5, 0],
    ]);
  });

  test('counts parts as trajectories of groups, and rollouts as rollouts', () => {
    const episodes = walks();
    const { groups, metrics } = transform(episodes, { hook: byPosition });
    expect(metrics).toMatchObject({
      'grouping/num_trajs_before_filter': 2,
      'grouping/num_trajs_after_filter': 5,
      'grouping/num_groups': 3,
      'grouping/min_group_size': 1,
    });
    const ledger = settleLedger({ started: episodes, trained: groups, dropped: [] });
    expect(ledger.metrics).toEqual({ 'ledger/started': 2, 'ledger/trained': 2 });
  });

  test('may leave steps out: a rollout of which a step trains has trained', () => {
    const episodes = walks();
    const first: GroupingHook = (given, own) => byPosition(given, own).slice(0, 1);
    const { groups, dropped } = transform(episodes, { hook: first });
    expect(dropped).toEqual([]);
    expect(settleLedger({ started: episodes, trained: groups, dropped }).trained).toBe(2);
  });
});

describe('parts that cannot be', () => {
  const [one, other] = walks().map(({ trajectories }) => trajectories[0] as Trajectory);
  if (one === undefined || other === undefined) throw new Error('no trajectories');
  const episodes = [episode('t', 0, [one]), episode('t', 1, [other])];

  test.each([
    { what: 'a step in two parts', parts: () => [trajectoryPart(one, 0, 2), trajectoryPart(one, 1, 2)] },
    { what: 'a part beside its whole', parts: () => [one, trajectoryPart(one, 0, 1)] },
    { what: 'a whole beside its part', parts: () => [trajectoryPart(one, 0, 1), one] },
    {
      what: 'a part with the steps of another trajectory',
      parts: () => [{ ...trajectoryPart(one, 0, 1), steps: other.steps }],
    },
    { what: 'a part without steps', parts: () => [{ ...trajectoryPart(one, 0, 1), steps: [] }] },
    {
      what: 'a part of a trajectory from elsewhere',
      parts: () => [trajectoryPart(trajectory('walker', 1), 0, 1)],
    },
    {
      what: 'a copy that hides where its steps come from',
      parts: () => [{ uid: 'x', name: 'walker', info: {}, steps: one.steps }],
    },
  ])('are refused: $what', ({ parts }) => {
    const hook: GroupingHook = (given) => [groupOfOne(parts(), given)];
    expect(() => transform(episodes, { hook })).toThrow(expect.objectContaining({ code: 'GROUPING_HOOK' }));
  });
});

describe('rejection sampling of parts', () => {
  const config = { mode: 'none', minPartialSolveTasks: 1, minTrajsPerGroup: 2 } as const;

  test('drops small groups of parts, and the rollout still counts by its other parts', () => {
    const episodes = walks();
    const { groups } = transform(episodes, { hook: byPosition });
    const { groups: kept, dropped, metrics } = applyRejectionSampling(episodes, groups, config);
    expect(kept.map(({ groupId }) => groupId)).toEqual(['#0', '#1']);
    expect(leftOut(dropped)).toEqual([['too_few_trajectories', 't', 1]]);
    expect(metrics).toMatchObject({ 'batch/num_tasks': 1, 'batch/solve_partial': 1 });
    const ledger = settleLedger({ started: episodes, trained: kept, dropped });
    expect(ledger.metrics).toEqual({ 'ledger/started': 2, 'ledger/trained': 2 });
  });

  test('a rollout all of whose parts are dropped is dropped, for their reason', () => {
    const episodes = walks().slice(0, 1);
    const { groups } = transform(episodes, { hook: byPosition });
    const { groups: kept, dropped, metrics } = applyRejectionSampling(episodes, groups, config);
    expect(metrics['batch/solve_all']).toBe(0);
    const ledger = settleLedger({ started: episodes, trained: kept, dropped });
    expect(ledger.metrics).toEqual({
      'ledger/started': 1,
      'ledger/trained': 0,
      'ledger/dropped/too_few_trajectories': 1,
    });
  });

  test('parts that wait are parts of their rollouts again after a checkpoint', () => {
    const episodes = walks();
    const { groups } = transform(episodes, { hook: byPosition });
    const waits = { ...config, mode: 'episode', minPartialSolveTasks: 5 } as const;
    const { state } = applyRejectionSampling(episodes, groups, waits);
    expect(state.episodes).toEqual(episodes);
    const read = fromRejectionRecord(JSON.parse(JSON.stringify(toRejectionRecord(state))));
    expect(
      read.groups.map(({ trajectories }) => trajectories.map(({ uid, reward }) => [uid, reward])),
    ).toEqual(state.groups.map(({ trajectories }) => trajectories.map(({ uid, reward }) => [uid, reward])));
    const owners = read.groups.flatMap(({ trajectories }) => trajectories.map(wholeOf));
    const wholes = read.episodes.flatMap(({ trajectories }) => trajectories);
    for (const owner of owners) expect(wholes).toContain(owner);
    expect(read.groups[1]?.trajectories[0]?.steps[0]).toBe(wholes[0]?.steps[1]);
  });

  test('a checkpoint that points to a step that is not there is refused', () => {
    const episodes = walks();
    const { groups } = transform(episodes, { hook: byPosition });
    const record = toRejectionRecord({ episodes, groups, partialSolveTasks: 0 });
    const [first] = episodes[0]?.trajectories ?? [];
    first?.steps.pop();
    expect(() => fromRejectionRecord(record)).toThrow(
      expect.objectContaining({ code: 'CHECKPOINT_INVALID' }),
    );
  });
});
