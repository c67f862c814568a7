import type { Loss } from 'rllm-sdk';
import type { LossConfig, LossFn } from 'rllm-tinker-client';

/** A loss as the protocol names it. */
export interface LossCall {
  readonly fn: LossFn;
  readonly config: LossConfig;
}

/**
 * The call for a loss. Its parameters are always sent, since engines differ in what they take without them: cispo clips at 0 and 4 on the
 * hosted service and at 0.8 and 1.2 on tx.
 */
export function lossCall(loss: Loss): LossCall {
  switch (loss.name) {
    case 'ppo':
    case 'cispo':
      return {
        fn: loss.name,
        config: { clip_low_threshold: loss.low, clip_high_threshold: loss.high },
      };
    case 'dro':
      return { fn: 'dro', config: { beta: loss.beta } };
    default:
      return { fn: loss.name, config: {} };
  }
}
