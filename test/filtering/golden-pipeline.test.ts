import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { collectRewardsAndAdvantages } from '../../src/advantage/index.js';
import type { CompactFilteringConfig } from '../../src/config/types.js';
import { applyRejectionSampling } from '../../src/filtering/index.js';
import {
  createEpisode,
  createStep,
  createTrajectory,
  type Episode,
  type Metrics,
  type TerminationReason,
} from '../../src/types/index.js';
import { advantagesOf, algorithm, builtInRegistry, isClose } from '../advantage/support.js';
import { transform } from '../grouping/support.js';

interface GoldenEpisode {
  readonly taskId: string;
  readonly rolloutIndex: number;
  readonly isCorrect: boolean;
  readonly terminationReason: TerminationReason | null;
  readonly trajectories: readonly {
    readonly uid: string;
    readonly name: string | null;
    readonly reward: number | null;
    readonly steps: readonly {
      readonly promptIds: readonly number[];
      readonly responseIds: readonly number[];
      readonly reward: number;
    }[];
  }[];
}

interface GoldenCase {
  readonly episodes: readonly GoldenEpisode[];
  readonly config: {
    readonly compactFiltering: Partial<CompactFilteringConfig>;
    readonly minTrajsPerGroup: number;
    readonly estimator: string;
    readonly estimatorMap: Readonly<Record<string, string>>;
  };
  readonly expected: {
    readonly groups: readonly {
      readonly groupId: string;
      readonly role: string;
      readonly taskId: string;
      readonly trajectories: readonly string[];
      readonly rewards: readonly number[];
    }[];
    readonly groupingMetrics: Metrics;
    readonly keptGroups: readonly string[];
    readonly rejectionMetrics: Metrics;
    readonly metrics: Metrics;
    readonly advantageByTrajectory: Readonly<Record<string, number>>;
  };
}

const file = new URL('../golden/pipeline.json', import.meta.url);
const { cases } = JSON.parse(readFileSync(file, 'utf8')) as { cases: readonly GoldenCase[] };

function revive({
  taskId,
  rolloutIndex,
  isCorrect,
  terminationReason,
  trajectories,
}: GoldenEpisode): Episode {
  return createEpisode({
    taskId,
    rolloutIndex,
    isCorrect,
    ...(terminationReason === null ? {} : { terminationReason }),
    trajectories: trajectories.map(({ uid, name, reward, steps }) =>
      createTrajectory({
        uid,
        ...(name === null ? {} : { name }),
        ...(reward === null ? {} : { reward }),
        steps: steps.map((step) => createStep(step)),
      }),
    ),
  });
}

/** Names of the metrics that differ by more than the golden data allows. */
function differing(got: Metrics, expected: Metrics, largest: number): string[] {
  return Object.entries(expected)
    .filter(([name, value]) => !isClose(got[name] ?? Number.NaN, value, largest))
    .map(([name, value]) => `${name}: expected ${value}, got ${got[name]}`);
}

describe.each(cases.map((golden, index) => ({ index, golden })))('reference batch $index', ({ golden }) => {
  const { config, expected } = golden;
  const episodes = golden.episodes.map(revive);
  const grouped = transform(episodes, { compactFiltering: config.compactFiltering });
  const rejection = {
    mode: 'none',
    minPartialSolveTasks: 1,
    minTrajsPerGroup: config.minTrajsPerGroup,
  } as const;
  const kept = applyRejectionSampling(episodes, grouped.groups, rejection);
  const { estimator, estimatorMap } = config;
  const collected = collectRewardsAndAdvantages(kept.groups, algorithm({ estimator, estimatorMap }), {
    registry: builtInRegistry(),
  });
  const largest = Math.max(0, ...expected.groups.flatMap(({ rewards }) => rewards.map(Math.abs)));

  test('makes the groups of the reference', () => {
    const groups = grouped.groups.map(({ groupId, role, taskId, trajectories }) => ({
      groupId,
      role,
      taskId,
      trajectories: trajectories.map(({ uid }) => uid),
      rewards: trajectories.map(({ reward }) => reward),
    }));
    expect(groups).toEqual(expected.groups);
    expect(grouped.metrics).toEqual(expected.groupingMetrics);
  });

  test('keeps the groups of the reference', () => {
    expect(kept.groups.map(({ groupId }) => groupId)).toEqual(expected.keptGroups);
    expect(kept.metrics).toEqual(expected.rejectionMetrics);
  });

  test('gives the advantages of the reference', () => {
    const uids = kept.groups.flatMap(({ trajectories }) => trajectories.map(({ uid }) => uid));
    expect(uids.toSorted()).toEqual(Object.keys(expected.advantageByTrajectory).toSorted());
    const got = Object.fromEntries(kept.groups.flatMap(advantagesOf).map((value, i) => [uids[i], value]));
    expect(differing(got as Metrics, expected.advantageByTrajectory, largest)).toEqual([]);
  });

  test('gives the metrics of the reference, and those of difficulty', () => {
    expect(differing(collected.metrics, expected.metrics, largest)).toEqual([]);
    const more = Object.keys(collected.metrics).filter((name) => !Object.hasOwn(expected.metrics, name));
    expect(more.every((name) => name.startsWith('batch/'))).toBe(true);
  });
});
