import type { EngineProfile, LossProfile } from './engine-profile.js';

const RL_INPUTS = ['target_tokens', 'logprobs', 'advantages', 'weights'];

const withConfig = (config: LossProfile['config']): LossProfile => ({ inputs: RL_INPUTS, config });

/**
 * SkyRL's tx server with its JAX backend, `skyrl` 0.4. Losses with `weights` absent count prompt positions too, so `weights` (the mask
 * of the sampled tokens) is obligatory. Its API keeps 15 database connections, which bounds the polls.
 */
export const TX_PROFILE: EngineProfile = {
  name: 'tx',
  losses: {
    cross_entropy: { inputs: ['target_tokens', 'weights'], config: {} },
    importance_sampling: withConfig({}),
    ppo: withConfig({ clip_low_threshold: 0.8, clip_high_threshold: 1.2 }),
    cispo: withConfig({ clip_low_threshold: 0.8, clip_high_threshold: 1.2 }),
  },
  lossReduction: 'sequence-mean',
  positiveWeightSum: true,
  gradClipping: false,
  topkPromptLogprobs: false,
  samplersKeepWeights: false,
  checkpointOptions: false,
  listsAllCheckpoints: false,
  bareArchiveNames: true,
  loadsWithoutOptimizer: true,
  powerOfTwoRank: false,
  keyPrefixes: undefined,
  conflictIsTransient: false,
  deduplicates: true,
  keepsOrder: true,
  failedResultStatuses: [400, 500],
  // It takes up work every 100 ms, and looks for a result 0, 100, 250, 475, … ms after it was asked: from here on the steps fit its work
  // better (a fifth more iterations per second of a tiny model, bench/tinker-python.ts).
  firstPollMs: 75,
  unloadOnClose: true,
  wire: 'json',
  concurrentPolls: 10,
  concurrentSamples: 1024,
  concurrentSampleSubmits: 8,
};

/** The older package `skyrl-tx` 0.3.0: no cispo, clip bounds fixed in the code, no protection against a request sent twice, and passes that wait
 * behind an optimizer step are overtaken. */
export const TX_03_PROFILE: EngineProfile = {
  ...TX_PROFILE,
  name: 'tx-0.3',
  losses: {
    cross_entropy: { inputs: ['target_tokens', 'weights'], config: {} },
    importance_sampling: withConfig({}),
    ppo: { ...withConfig({ clip_low_threshold: 0.8, clip_high_threshold: 1.2 }), fixedConfig: true },
  },
  loadsWithoutOptimizer: false,
  deduplicates: false,
  keepsOrder: false,
};
