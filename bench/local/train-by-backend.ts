import { performance } from 'node:perf_hooks';
import { calculateGrpoAdvantagesPerGroup } from '../../src/advantage/index.js';
import type { Backend } from '../../src/backend/index.js';
import { shuffled, stream } from '../../src/random.js';
import {
  EMPTY_REJECTION_STATE,
  type TrainerState,
  type Trajectory,
  type TrajectoryGroup,
} from '../../src/types/index.js';
import { playGuessNumber } from './guess-number.js';
import { openBackend } from './open-backend.js';
import { SETTINGS, type SeedResult } from './settings.js';

const { numbers, tasksPerStep, rolloutsPerTask, maxSteps, target } = SETTINGS;

/** Trains guess-number through the `Backend` contract alone, with GRPO and no trainer around it. */
export async function trainByBackend(seed: number): Promise<SeedResult> {
  const backend = await openBackend(seed);
  const start = performance.now();
  const nextSecret = secrets(seed);
  let learnedAt: number | null = null;
  for (let step = 1; step <= maxSteps && learnedAt === null; step++) {
    const groups = await Promise.all(
      Array.from({ length: tasksPerStep }, (_, task) => playGroup(backend, step, task, nextSecret())),
    );
    const wins = groups
      .flatMap(({ trajectories }) => trajectories)
      .reduce((sum, { reward = 0 }) => sum + reward, 0);
    const isGood = wins >= target * tasksPerStep * rolloutsPerTask;
    if (isGood && (await winsGreedily(backend, step))) learnedAt = step;
    else await train(backend, step, groups);
  }
  const trainingSeconds = (performance.now() - start) / 1000;
  await backend.shutdown();
  return { seed, steps: learnedAt, trainingSeconds };
}

async function playGroup(
  backend: Backend,
  step: number,
  task: number,
  secret: number,
): Promise<TrajectoryGroup> {
  const taskId = `${step}/${task}`;
  const trajectories = await Promise.all(
    Array.from({ length: rolloutsPerTask }, (_, rolloutIndex) =>
      playGuessNumber(SETTINGS, backend.rolloutEngine, {
        mode: 'train',
        step,
        taskId,
        rolloutIndex,
        secret,
        temperature: 1,
      }),
    ),
  );
  const { advantages } = calculateGrpoAdvantagesPerGroup(trajectories.map(({ reward = 0 }) => reward));
  for (const [i, { steps }] of trajectories.entries()) {
    for (const one of steps) one.advantage = advantages[i] as number;
  }
  return { groupId: taskId, role: 'guesser', taskId, trajectories, metadata: [] };
}

async function train(
  backend: Backend,
  step: number,
  trajectoryGroups: readonly TrajectoryGroup[],
): Promise<void> {
  const state: TrainerState = {
    globalStep: step,
    epoch: 0,
    totalSteps: maxSteps,
    episodes: [],
    trajectoryGroups,
    backendBatch: undefined,
    metrics: {},
    timings: {},
    rejection: EMPTY_REJECTION_STATE,
  };
  state.backendBatch = backend.transformToBackendBatch(state);
  await backend.processBatch(state);
  await backend.updatePolicy(state);
}

async function winsGreedily(backend: Backend, step: number): Promise<boolean> {
  const games = await Promise.all(
    Array.from({ length: numbers }, (_, i): Promise<Trajectory> => {
      const rollout = {
        mode: 'val',
        step,
        taskId: `greedy/${i}`,
        rolloutIndex: 0,
        secret: i + 1,
        temperature: 0,
      } as const;
      return playGuessNumber(SETTINGS, backend.rolloutEngine, rollout);
    }),
  );
  return games.every(({ reward }) => reward === 1);
}

/** All numbers in random order, again and again. */
function secrets(seed: number): () => number {
  let deck: number[] = [];
  let round = 0;
  return () => {
    if (deck.length === 0) {
      deck = shuffled(
        Array.from({ length: numbers }, (_, i) => i + 1),
        stream(seed, 'secrets', round++),
      );
    }
    return deck.pop() as number;
  };
}
