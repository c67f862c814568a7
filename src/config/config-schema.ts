import * as z from 'zod';
import { algorithm } from './schema/algorithm.js';
import { backend } from './schema/backend.js';
import { compactFiltering } from './schema/compact-filtering.js';
import { data } from './schema/data.js';
import type { ShapeOf } from './schema/kinds.js';
import { plugins } from './schema/plugins.js';
import { rejectionSample } from './schema/rejection-sample.js';
import { reward } from './schema/reward.js';
import { rollout } from './schema/rollout.js';
import { tracking } from './schema/tracking.js';
import { trainer } from './schema/trainer.js';
import { transform } from './schema/transform.js';
import { workflow } from './schema/workflow.js';
import type { RllmConfig } from './types.js';

const root = z
  .strictObject({
    $schema: z.string().optional().describe('Where editors find the schema of this file.'),
    plugins: plugins
      .default([])
      .describe(
        'Plugins, in the order in which they load: a package name, a file relative to the config file, or `{ use, options }`.',
      ),
    algorithm: algorithm.prefault({}).describe('How credit is assigned and the policy updated.'),
    transform: transform.prefault({}).describe('How episodes become trajectory groups.'),
    compactFiltering: compactFiltering
      .prefault({})
      .describe('Which rollouts are left out by how they ended.'),
    rejectionSample: rejectionSample.prefault({}).describe('Which groups are left out by their rewards.'),
    workflow: workflow.prefault({}).describe('What a rollout runs.'),
    reward: reward
      .prefault({})
      .describe('What judges a rollout, in place of the reward that its workflow gives.'),
    rollout: rollout.prefault({}).describe('How many rollouts a task gets, and how they are sampled.'),
    trainer: trainer.prefault({}).describe('How long training goes on, and what it leaves behind.'),
    data: data.prefault({}).describe('What is trained and validated on.'),
    backend: backend
      .prefault({})
      .describe('Where the model trains: the name of a backend, or `{ name, options }`.'),
    tracking: tracking.prefault({}).describe('Where metrics go.'),
  } satisfies ShapeOf<RllmConfig & { readonly $schema?: string | undefined }>)
  .transform(({ $schema: _, ...config }): RllmConfig => config);

/** The whole configuration: what may be written, every range, and every default, once. */
export const configSchema: z.ZodType<RllmConfig> = root;
