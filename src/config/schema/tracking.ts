import * as z from 'zod';
import type { TrackingConfig } from '../types.js';
import { name, type ShapeOf } from './kinds.js';

export const tracking: z.ZodType<TrackingConfig> = z.strictObject({
  trackers: z
    .array(name)
    .default(['console'])
    .describe('Names of trackers besides `metrics.jsonl`, which is always written.'),
  logEpisodes: z.boolean().default(false).describe("Write each episode as JSON into the run's folder."),
} satisfies ShapeOf<TrackingConfig>);
