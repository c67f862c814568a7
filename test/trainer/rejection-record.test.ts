import { expect, test } from 'vitest';
import { fromRejectionRecord, toRejectionRecord } from '../../src/trainer/rejection-record.js';
import { type Trajectory, trajectoryPart } from '../../src/types/index.js';
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
  expect(read.groups).toEqual(groups);
  const [group] = read.groups;
  expect(group?.metadata.map((origin, k) => origin === read.episodes[k])).toEqual([true, true]);
  expect(group?.trajectories.map((one, k) => one === read.episodes[k]?.trajectories[0])).toEqual([
    true,
    true,
  ]);
});

test('a part has what a hook has set on it, and an origin that is no episode of the batch is kept as such', () => {
  const whole = episode('t', 0, [trajectory('agent', 1, [0, 1])]);
  const part = Object.assign(trajectoryPart(whole.trajectories[0] as Trajectory, 1, 2, 0.5), {
    name: 'writer',
    rewards: { format: 1 },
  });
  const metadata = [{ ...whole, trajectories: [] }];
  const group = { groupId: 'g', role: 'writer', taskId: 't', trajectories: [part], metadata };
  const state = { episodes: [whole], groups: [group], partialSolveTasks: 0 };
  const read = fromRejectionRecord(JSON.parse(JSON.stringify(toRejectionRecord(state))));
  const [again] = read.groups[0]?.trajectories ?? [];
  expect(again).toMatchObject({ uid: part.uid, name: 'writer', reward: 0.5, rewards: { format: 1 } });
  expect(again?.steps[0]).toBe(read.episodes[0]?.trajectories[0]?.steps[1]);
  expect(read.groups[0]?.metadata).toEqual([{ taskId: 't', rolloutIndex: 0, isCorrect: false }]);
});
