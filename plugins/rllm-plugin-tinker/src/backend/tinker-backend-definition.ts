import type { Backend, BackendContext, BackendDefinition, RllmConfig } from 'rllm-sdk';
import { HOSTED_PROFILE } from 'rllm-tinker-client';
import { capabilitiesOf, namedEngine } from './engine-capabilities.js';
import { engineFaults } from './engine-faults.js';
import { TinkerBackend } from './tinker-backend.js';
import { type TinkerOptions, tinkerOptionsSchema } from './tinker-options.js';

/** `backend.name: "tinker"`, options under `backend.options.tinker`. */
export const tinkerBackend: BackendDefinition = {
  name: 'tinker',
  summary:
    'Trains a LoRA adapter of a real model through the Tinker API: the hosted service, SkyRL tx and others.',
  options: tinkerOptionsSchema,
  capabilities: capabilitiesOf(HOSTED_PROFILE),
  check(config: RllmConfig, options: unknown) {
    const chosen = options as TinkerOptions;
    const engine = namedEngine(chosen.engine);
    return engine === undefined || config.trainer.valOnly ? [] : engineFaults(config, chosen, engine);
  },
  create: (options: unknown, context: BackendContext): Backend =>
    new TinkerBackend(options as TinkerOptions, context),
};
