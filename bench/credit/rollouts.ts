import type { Episode } from '../../src/types/index.js';

const IDS = [1, 2, 3, 4];
const NOTHING: readonly never[] = [];

/** The rewards that bench/reference_numpy.py makes: whole numbers, every eighth group uniform. */
function rewardOf(group: number, index: number): number {
  return group % 8 === 0 ? 1 : (group * 7 + index * 5) % 4;
}

export function rewardsOf(groups: number, size: number): readonly Float64Array[] {
  return Array.from({ length: groups }, (_, g) =>
    Float64Array.from({ length: size }, (_, i) => rewardOf(g, i)),
  );
}

/** One step per trajectory, one trajectory per episode. What does not matter here is shared, so that 1.6 million fit. */
export function episodesOf(groups: number, size: number): readonly Episode[] {
  const episodes: Episode[] = [];
  for (let g = 0; g < groups; g++) {
    const taskId = `task-${g}`;
    for (let i = 0; i < size; i++) {
      const reward = rewardOf(g, i);
      const step = {
        id: taskId,
        promptIds: IDS,
        responseIds: IDS,
        logprobs: NOTHING,
        chatCompletions: NOTHING,
        modelResponse: '',
        reward: 0,
        done: false,
        mcReturn: 0,
        info: {},
      };
      const trajectory = { uid: taskId, name: 'solver', steps: [step], info: {}, reward };
      episodes.push({
        id: taskId,
        taskId,
        rolloutIndex: i,
        task: null,
        isCorrect: reward > 0,
        trajectories: [trajectory],
        metrics: {},
        info: {},
        terminationReason: 'env_done',
      });
    }
  }
  return episodes;
}
