import {
  type AlgorithmConfig,
  type Loss,
  lossKey,
  lossOfRole,
  type TrainingRow,
  type TrajectoryRows,
} from 'rllm-sdk';
import type { Datum, EngineProfile } from 'rllm-tinker-client';
import { datumOf } from './datum.js';
import { type LossCall, lossCall } from './loss-call.js';

/** The rows that share a loss, and the datums made of them. */
export interface LossPart {
  readonly loss: Loss;
  readonly call: LossCall;
  readonly rows: readonly TrainingRow[];
  readonly data: readonly Datum[];
}

/** What one optimiser step trains on: one part for each loss. Their gradients are added up before the step. */
export type Substep = readonly LossPart[];

/** Roles with equal losses share a part. Read after the core has set `step.advantage`. */
export function substepOf(
  trajectories: readonly TrajectoryRows[],
  algorithm: AlgorithmConfig,
  engine: EngineProfile,
): Substep {
  const byLoss = new Map<string, { readonly loss: Loss; readonly rows: TrainingRow[] }>();
  for (const { role, rows } of trajectories) {
    if (rows.length === 0) continue;
    const loss = lossOfRole(role, algorithm);
    const key = lossKey(loss);
    const part = byLoss.get(key) ?? { loss, rows: [] };
    byLoss.set(key, part);
    part.rows.push(...rows);
  }
  return [...byLoss.values()].map(({ loss, rows }) => {
    const call = lossCall(loss);
    const inputs = engine.losses[call.fn]?.inputs ?? [];
    return { loss, call, rows, data: rows.map((row) => datumOf(row, inputs)) };
  });
}
