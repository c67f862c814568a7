import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { selectTrainable } from '../../src/advantage/index.js';
import { countSolved } from '../../src/filtering/index.js';
import { type GroupingHook, taskRoleGrouping } from '../../src/grouping/index.js';
import type { Episode } from '../../src/types/index.js';
import { algorithm } from '../advantage/support.js';
import { episode, trajectory, transform } from './support.js';

// Mostly whole, so that most batches have something that is known, and some have not.
const role = fc.record({
  name: fc.constantFrom('x', 'y'),
  reward: mostly([0, 0.5, 1, undefined], [Number.NaN]),
  part: mostly([undefined], [1, Number.NaN]),
});
const rollout = fc.record({
  taskId: fc.constantFrom('a', 'b', 'c'),
  isCorrect: fc.boolean(),
  roles: fc.array(role, { maxLength: 3 }),
  reason: fc.constantFrom('env_done' as const, 'timeout' as const),
});

function mostly<T, U>(usual: readonly T[], rare: readonly U[]): fc.Arbitrary<T | U> {
  return fc.oneof(
    { weight: 40, arbitrary: fc.constantFrom(...usual) },
    { weight: 1, arbitrary: fc.constantFrom(...rare) },
  );
}

type Rollout = typeof rollout extends fc.Arbitrary<infer R> ? R : never;

function inRowsByTask(rollouts: readonly Rollout[]): Rollout[] {
  return rollouts.toSorted((a, b) => a.taskId.localeCompare(b.taskId));
}

function episodesOf(rollouts: readonly Rollout[]): Episode[] {
  return rollouts.map(({ taskId, isCorrect, roles, reason }, k) =>
    episode(
      taskId,
      k,
      roles.map(({ name, reward, part }) => ({
        ...trajectory(name, reward),
        ...(part === undefined ? {} : { rewards: { part } }),
      })),
      { isCorrect, reason },
    ),
  );
}

describe('what grouping finds out on the way', () => {
  const compactFiltering = { enable: true, maskTimeout: true };

  test('is what later stages find', () => {
    const lone = fc.constantFrom('reward' as const, 'drop' as const);
    const given = fc.tuple(fc.array(rollout, { maxLength: 10 }), fc.boolean(), lone);
    let known = 0;
    fc.assert(
      fc.property(given, ([rollouts, inRows, loneTrajectory]) => {
        const episodes = episodesOf(inRows ? inRowsByTask(rollouts) : rollouts);
        const { groups, rewards, solved } = transform(episodes, { compactFiltering });
        expect(solved).toEqual(countSolved(episodes, new Set()));
        const config = algorithm({ missingReward: 'exclude', loneTrajectory });
        const [quick, slow] = [selectTrainable(groups, config, rewards), selectTrainable(groups, config)];
        expect(quick).toEqual(slow);
        if (rewards !== undefined && groups.length > 1) known++;
      }),
      { seed: 1 },
    );
    expect(known).toBeGreaterThan(20);
  });

  test('is known of a batch whose tasks come in a row and whose rewards are there', () => {
    const episodes = ['a', 'a', 'b', 'b'].map((taskId, k) => episode(taskId, k, [trajectory('x', k)]));
    const { rewards } = transform(episodes);
    expect(rewards?.byGroup).toEqual([Float64Array.of(0, 1), Float64Array.of(2, 3)]);
  });

  test('is left open with a hook of one’s own, which may change rewards and what is correct', () => {
    const hook: GroupingHook = (given, config, options) => {
      for (const own of given) own.isCorrect = true;
      return taskRoleGrouping(given, config, options);
    };
    const { rewards, solved } = transform([episode('a', 0, [trajectory('x', 1)])], { hook });
    expect([rewards, solved]).toEqual([undefined, undefined]);
  });
});
