import { expect, test } from 'vitest';
import { fromRejectionRecord, toRejectionRecord } from '../../src/trainer/rejection-record.js';
import { episode, trajectory, transform } from '../grouping/support.js';

test('each waiting trajectory is written once, and groups hold those of the episodes again', () => {
  const episodes = [0, 1].map((k) =>
    episode('t', k, [trajectory('solver', k)], k === 0 ? {} : { reason: 'env_done', isCorrect: true }),
  );
  const { groups } = transform(episodes);
  const text = JSON.stringify(toRejectionRecord({ episodes, groups, partialSolveTasks: 1 }));
  for (const { uid } of episodes.flatMap(({ trajectories }) => trajectories)) {
    expect(text.split(JSON.stringify(uid))).toHaveLength(2);
  }
  const read = fromRejectionRecord(JSON.parse(text));
  expect(read.episodes).toEqual(episodes);
  const [group] = read.groups;
  expect(group).toEqual({
    groupId: 't:solver',
    role: 'solver',
    taskId: 't',
    trajectories: groups[0]?.trajectories,
    metadata: [
      { taskId: 't', rolloutIndex: 0, isCorrect: false },
      { taskId: 't', rolloutIndex: 1, isCorrect: true, terminationReason: 'env_done' },
    ],
  });
  expect(group?.trajectories.map((one, k) => one === read.episodes[k]?.trajectories[0])).toEqual([
    true,
    true,
  ]);
});
