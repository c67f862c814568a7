import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DROP_REASONS, type LedgerParts, settleLedger } from '../../src/filtering/index.js';
import { shuffled, stream } from '../../src/random.js';
import type { Episode, Trajectory, TrajectoryOrigin } from '../../src/types/index.js';
import { episode, trajectory } from '../grouping/support.js';

/** The rule, rollout by rollout: whatever came nearest to training. */
function byTheRule({ started, carried = [], waiting = [], trained, dropped }: LedgerParts): string[] {
  const order = Object.keys(DROP_REASONS);
  const isIn = (episode: Episode, trajectories: readonly Trajectory[]): boolean =>
    episode.trajectories.some((one) => trajectories.includes(one));
  return [...carried, ...started].map((own) => {
    if (trained.some(({ trajectories }) => isIn(own, trajectories))) return 'trained';
    if (waiting.includes(own)) return 'waiting';
    const reasons = dropped
      .filter((one) =>
        one.trajectories.length === 0 ? one.rollouts.includes(own) : isIn(own, one.trajectories),
      )
      .map(({ reason }) => reason);
    return order.findLast((reason) => reasons.some((one) => one === reason)) ?? 'not_trained';
  });
}

const outcome = fc.constantFrom(
  'trained',
  'waits',
  'nothing',
  'uniform_group',
  'unscored',
  'filtered_timeout',
);
const rollout = fc.record({
  taskId: fc.constantFrom('a', 'b', 'c'),
  outcomes: fc.array(outcome, { maxLength: 3 }),
  isCarried: fc.boolean(),
  isCopied: fc.boolean(),
});

test('groups in any order, of episodes or of copies of what they say, are settled by the rule', () => {
  const all = fc.array(rollout, { maxLength: 40 });
  fc.assert(
    fc.property(all, fc.nat({ max: 5 }), fc.nat(), (rollouts, groupSize, seed) => {
      // Carried rollouts and those of this batch have the same ids.
      const seen = new Map<string, number>();
      const made = rollouts.map(({ taskId, outcomes, isCarried, isCopied }) => {
        const index = seen.get(`${taskId}${isCarried}`) ?? 0;
        seen.set(`${taskId}${isCarried}`, index + 1);
        const own = episode(
          taskId,
          index,
          outcomes.map(() => trajectory('solver', 1)),
        );
        const origin = isCopied ? { taskId, rolloutIndex: index, isCorrect: false } : own;
        return { own, outcomes, isCarried, origin };
      });
      const random = stream(seed, 'ledger');
      const placed = shuffled(
        made.flatMap(({ own, outcomes, origin }) =>
          outcomes.map((what, i) => ({ what, origin, trajectory: own.trajectories[i] as Trajectory })),
        ),
        random,
      );
      const listsOf = (what: string): { metadata: TrajectoryOrigin[]; trajectories: Trajectory[] }[] => {
        const own = placed.filter((one) => one.what === what);
        const lists = [];
        for (let at = 0; at < own.length; at += groupSize + 1) {
          const some = own.slice(at, at + groupSize + 1);
          lists.push({
            metadata: some.map(({ origin }) => origin),
            trajectories: some.map((one) => one.trajectory),
          });
        }
        return lists;
      };
      const reasons = ['uniform_group', 'unscored', 'filtered_timeout'] as const;
      const parts: LedgerParts = {
        carried: made.filter(({ isCarried }) => isCarried).map(({ own }) => own),
        started: made.filter(({ isCarried }) => !isCarried).map(({ own }) => own),
        waiting: made.filter(({ outcomes }) => outcomes.includes('waits')).map(({ own }) => own),
        trained: listsOf('trained').map((list, g) => ({
          groupId: `${g}`,
          role: 'solver',
          taskId: 'a',
          ...list,
        })),
        dropped: reasons.flatMap((reason) =>
          listsOf(reason).map(({ metadata, trajectories }) => ({ reason, rollouts: metadata, trajectories })),
        ),
      };
      const expected = byTheRule(parts);
      const count = (what: string): number => expected.filter((one) => one === what).length;
      const ledger = settleLedger(parts);
      expect([ledger.trained, ledger.waiting]).toEqual([count('trained'), count('waiting')]);
      expect([...ledger.dropped]).toEqual(
        Object.keys(DROP_REASONS).flatMap((reason) => (count(reason) === 0 ? [] : [[reason, count(reason)]])),
      );
    }),
    { numRuns: 500 },
  );
});
