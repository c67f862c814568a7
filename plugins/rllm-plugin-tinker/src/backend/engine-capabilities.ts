import type { BackendCapabilities } from 'rllm-sdk';
import { type EngineProfile, HOSTED_PROFILE, TX_03_PROFILE, TX_PROFILE } from 'rllm-tinker-client';
import type { TinkerOptions } from './tinker-options.js';

/** The engine that the options name; undefined where it is found out at start. */
export function namedEngine(engine: TinkerOptions['engine']): EngineProfile | undefined {
  switch (engine) {
    case 'hosted':
      return HOSTED_PROFILE;
    case 'tx':
      return TX_PROFILE;
    case 'tx-0.3':
      return TX_03_PROFILE;
    case 'auto':
      return undefined;
  }
}

/**
 * What a backend on this engine can do. `cross_entropy` is a policy's loss only where its weights, the advantages, may sum to nothing or less:
 * an engine that divides by that sum would make its gradient explode.
 */
export function capabilitiesOf(engine: EngineProfile): BackendCapabilities {
  const losses = Object.keys(engine.losses);
  return {
    training: true,
    losses: losses.filter((loss) => loss !== 'cross_entropy' || !engine.positiveWeightSum),
    defaultLosses: { grpo: 'ppo', default: 'importance_sampling' },
    gradientClipping: engine.gradClipping,
    learningRateSchedules: ['constant', 'linear', 'cosine'],
    miniBatches: true,
    perTokenAdvantages: true,
    logprobs: true,
    referenceLogprobs: true,
    checkpoints: true,
  };
}
