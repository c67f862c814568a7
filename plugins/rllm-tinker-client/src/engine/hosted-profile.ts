import type { EngineProfile, LossProfile } from './engine-profile.js';

const RL_INPUTS = ['target_tokens', 'logprobs', 'advantages'];

const withConfig = (config: LossProfile['config']): LossProfile => ({ inputs: RL_INPUTS, config });

/** Thinking Machines' hosted service, as its documentation and the official SDK 0.25 describe it. */
export const HOSTED_PROFILE: EngineProfile = {
  name: 'hosted',
  losses: {
    cross_entropy: { inputs: ['target_tokens', 'weights'], config: {} },
    importance_sampling: withConfig({}),
    ppo: withConfig({ clip_low_threshold: 0.8, clip_high_threshold: 1.2 }),
    // Older documentation says 0.8 and 1.2.
    cispo: withConfig({ clip_low_threshold: 0, clip_high_threshold: 4 }),
    dro: withConfig({ beta: undefined }),
  },
  lossReduction: 'token-sum',
  positiveWeightSum: false,
  gradClipping: true,
  topkPromptLogprobs: true,
  samplersKeepWeights: true,
  checkpointOptions: true,
  listsAllCheckpoints: true,
  bareArchiveNames: false,
  loadsWithoutOptimizer: true,
  powerOfTwoRank: true,
  keyPrefixes: ['tml-', 'eyJ'],
  conflictIsTransient: true,
  deduplicates: true,
  keepsOrder: true,
  failedResultStatuses: [400],
  firstPollMs: 0,
  unloadOnClose: false,
  wire: 'protobuf',
  concurrentPolls: 256,
  concurrentSamples: 2000,
  concurrentSampleSubmits: 400,
};
