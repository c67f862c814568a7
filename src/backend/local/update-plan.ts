import type { AlgorithmConfig } from '../../config/types.js';
import { shuffled, stream } from '../../random.js';
import type { CriticSettings } from './critic.js';
import type { TrajectoryRows } from './local-batch.js';
import { type Loss, lossOfRole } from './loss.js';
import { type LossRow, type LossTree, lossTrees } from './loss-tree.js';
import { rowAdvantages, rowReturns } from './trajectory-rows.js';

/** What one optimiser step computes on. */
export interface UpdatePart {
  /** One for each loss. */
  readonly trees: readonly LossTree[];
  /** Sampled tokens of all trajectories of this part, those without gradient too: the loss is a mean over them. */
  readonly tokens: number;
}

/**
 * The optimiser steps of a batch, in order: `updateEpochs` passes, each over all trajectories in `miniBatches` parts. With more than one
 * part the trajectories are dealt anew in each pass, by the seed.
 *
 * @param critic  of a model that has one: then the parts hold its returns too.
 */
export function updatePlan(
  trajectories: readonly TrajectoryRows[],
  algorithm: AlgorithmConfig,
  seed: number,
  step: number,
  critic?: CriticSettings,
): UpdatePart[] {
  const { miniBatches, updateEpochs } = algorithm;
  const epochs = Array.from({ length: updateEpochs }, (_, epoch) => epoch);
  if (miniBatches === 1) {
    const whole = updatePart(trajectories, algorithm, critic);
    return whole.tokens === 0 ? [] : epochs.map(() => whole);
  }
  return epochs.flatMap((epoch) => {
    const order = shuffled(trajectories, stream(seed, 'mini-batches', step, epoch));
    const size = Math.ceil(order.length / miniBatches);
    const starts = Array.from({ length: miniBatches }, (_, i) => i * size);
    const parts = starts.map((at) => updatePart(order.slice(at, at + size), algorithm, critic));
    return parts.filter(({ tokens }) => tokens > 0);
  });
}

function updatePart(
  trajectories: readonly TrajectoryRows[],
  algorithm: AlgorithmConfig,
  critic: CriticSettings | undefined,
): UpdatePart {
  const losses = new Map<string, Loss>();
  const rows = trajectories.flatMap(({ role, rows, reward }): LossRow[] => {
    const loss = losses.get(role) ?? lossOfRole(role, algorithm);
    losses.set(role, loss);
    return rows.map((row) => {
      const returns = critic === undefined ? undefined : rowReturns(row, reward);
      return { row, loss, advantages: rowAdvantages(row), ...(returns === undefined ? {} : { returns }) };
    });
  });
  return {
    trees: lossTrees(rows, critic !== undefined && critic.clip !== null),
    tokens: rows.reduce((sum, { row }) => sum + sampledTokens(row.sampled), 0),
  };
}

function sampledTokens(masks: readonly (0 | 1)[]): number {
  return masks.reduce((sum: number, mask) => sum + mask, 0);
}
