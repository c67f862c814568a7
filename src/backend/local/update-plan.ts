import type { AlgorithmConfig } from '../../config/types.js';
import { type Loss, lossOfRole } from '../loss.js';
import { miniBatches } from '../mini-batches.js';
import type { TrajectoryRows } from '../row-batch.js';
import { rowAdvantages, rowReturns } from '../trajectory-rows.js';
import type { CriticSettings } from './critic.js';
import { type LossRow, type LossTree, lossTrees } from './loss-tree.js';

/** What one optimiser step computes on. */
export interface UpdatePart {
  /** One for each loss. */
  readonly trees: readonly LossTree[];
  /** Sampled tokens of all trajectories of this part, those without gradient too: the loss is a mean over them. */
  readonly tokens: number;
}

/**
 * The optimiser steps of a batch, in order, as `miniBatches` deals it out; a part without a sampled token asks for none.
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
  if (algorithm.miniBatches === 1) {
    const whole = updatePart(trajectories, algorithm, critic);
    return whole.tokens === 0 ? [] : Array.from({ length: algorithm.updateEpochs }, () => whole);
  }
  const parts = miniBatches(trajectories, algorithm, seed, step);
  return parts.map((part) => updatePart(part, algorithm, critic)).filter(({ tokens }) => tokens > 0);
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
