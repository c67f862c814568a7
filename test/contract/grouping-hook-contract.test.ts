import { describe, expect, test } from 'vitest';
import { GroupingHook, type GroupingHook as Hook, taskRoleGrouping } from '../../src/grouping/index.js';
import { type GroupingHookContractOptions, groupingHookContract } from '../../src/testing/index.js';
import type { TrajectoryGroup } from '../../src/types/index.js';

function failures(hook: Hook, options?: GroupingHookContractOptions): string[] {
  return groupingHookContract(GroupingHook('tried')(hook), options).flatMap(({ name, run }) => {
    try {
      run();
      return [];
    } catch {
      return [name];
    }
  });
}

/** The default groups, made of what the hook is given. */
const byTask: Hook = (episodes, transform) => taskRoleGrouping(episodes, transform);

function merged(
  groups: readonly TrajectoryGroup[],
  keyOf: (group: TrajectoryGroup) => string,
): TrajectoryGroup[] {
  const byKey = new Map<string, TrajectoryGroup>();
  for (const group of groups) {
    const key = keyOf(group);
    const other = byKey.get(key);
    byKey.set(
      key,
      other === undefined
        ? group
        : {
            ...other,
            trajectories: [...other.trajectories, ...group.trajectories],
            metadata: [...other.metadata, ...group.metadata],
          },
    );
  }
  return [...byKey.values()];
}

let calls = 0;

describe('the contract of grouping hooks', () => {
  test('stands for what is right', () => {
    expect(failures((episodes, transform) => byTask(episodes, transform))).toEqual([]);
  });

  test.each<[string, Hook, readonly string[]]>([
    [
      'puts a trajectory into two groups',
      (episodes, transform) => {
        const groups = byTask(episodes, transform);
        return [...groups, ...groups.slice(0, 1)];
      },
      ['every trajectory stands in one group, or is counted as left out'],
    ],
    [
      'writes to episodes',
      (episodes, transform) => {
        for (const episode of episodes) episode.isCorrect = true;
        return byTask(episodes, transform);
      },
      ['what it is given is left as it is'],
    ],
    [
      'joins ids to one text and takes them apart',
      (episodes, transform) =>
        merged(byTask(episodes, transform), ({ groupId, role }) => `${groupId.split(':')[0]}/${role}`),
      ['how a task id is spelt changes nothing'],
    ],
    [
      'goes by the place in the batch',
      (episodes, transform) => byTask(episodes.slice(2), transform),
      ['episodes in another order give the same groups'],
    ],
    [
      'is different every time',
      (episodes, transform) => byTask(episodes.slice(calls++ % 3), transform),
      expect.arrayContaining(['the same episodes give the same groups']) as unknown as string[],
    ],
    [
      'needs an episode',
      (episodes, transform) => {
        if (episodes[0] === undefined) throw new Error('there is none');
        return byTask(episodes, transform);
      },
      ['no episodes make no groups'],
    ],
    ['leaves everything out', () => [], ['every trajectory stands in one group, or is counted as left out']],
  ])('falls for one that %s', (_, hook, expected) => {
    expect(failures(hook)).toEqual(expected);
  });

  test('falls for options that nobody checks', () => {
    const anything = {
      '~standard': { version: 1, vendor: 'test', validate: (value: unknown) => ({ value }) },
    } as const;
    const lax = GroupingHook('lax', { options: anything })((episodes, transform) =>
      byTask(episodes, transform),
    );
    const [check] = groupingHookContract(lax);
    expect(check?.name).toBe('takes its options, and refuses one that it does not know');
    expect(() => check?.run()).toThrow('strict schema');
  });

  test('is only for what is declared', () => {
    expect(() => groupingHookContract((episodes, transform) => byTask(episodes, transform))).toThrow(
      expect.objectContaining({ code: 'DECORATOR_MISUSED' }),
    );
  });
});
