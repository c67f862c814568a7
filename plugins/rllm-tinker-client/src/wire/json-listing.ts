import * as z from 'zod';
import type { Checkpoint, TrainingRun } from '../types/checkpoint.js';
import { invalidResponse } from './invalid-response.js';

const CHECKPOINT = z.object({
  checkpoint_id: z.string(),
  checkpoint_type: z.enum(['training', 'sampler']),
  tinker_path: z.string(),
  time: z.string().nullish(),
  size_bytes: z.number().nullish(),
  expires_at: z.string().nullish(),
});

const RUN = z.object({
  training_run_id: z.string(),
  base_model: z.string(),
  is_lora: z.boolean().catch(true),
  lora_rank: z.number().nullish(),
  corrupted: z.boolean().catch(false),
  last_request_time: z.string().nullish(),
  last_checkpoint: CHECKPOINT.nullish(),
  last_sampler_checkpoint: CHECKPOINT.nullish(),
  user_metadata: z.record(z.string(), z.string()).nullish(),
});

/** @throws TinkerError RESPONSE_INVALID */
export function decodeCheckpoints(body: unknown): readonly Checkpoint[] {
  return parse(z.object({ checkpoints: z.array(CHECKPOINT) }), body).checkpoints.map(checkpointOf);
}

/** @throws TinkerError RESPONSE_INVALID */
export function decodeTrainingRuns(body: unknown): readonly TrainingRun[] {
  return parse(z.object({ training_runs: z.array(RUN) }), body).training_runs.map(runOf);
}

/** @throws TinkerError RESPONSE_INVALID */
export function decodeTrainingRun(body: unknown): TrainingRun {
  return runOf(parse(RUN, body));
}

function parse<T>(schema: z.ZodType<T>, body: unknown): T {
  const result = schema.safeParse(body);
  if (!result.success) throw invalidResponse('a listing', result.error);
  return result.data;
}

/** Hosted ids begin with the kind, those of tx do not. */
function checkpointOf(row: z.infer<typeof CHECKPOINT>): Checkpoint {
  return {
    name: row.checkpoint_id.replace(/^.*\//, ''),
    kind: row.checkpoint_type,
    path: row.tinker_path,
    time: row.time ?? undefined,
    sizeBytes: row.size_bytes ?? undefined,
    expiresAt: row.expires_at ?? undefined,
  };
}

function runOf(row: z.infer<typeof RUN>): TrainingRun {
  return {
    id: row.training_run_id,
    baseModel: row.base_model,
    isLora: row.is_lora,
    loraRank: row.lora_rank ?? undefined,
    corrupted: row.corrupted,
    lastRequestTime: row.last_request_time ?? undefined,
    lastCheckpoint: row.last_checkpoint == null ? undefined : checkpointOf(row.last_checkpoint),
    lastSamplerCheckpoint:
      row.last_sampler_checkpoint == null ? undefined : checkpointOf(row.last_sampler_checkpoint),
    userMetadata: row.user_metadata ?? {},
  };
}
