import type { Datum, ForwardResult, SampledSequence, SamplingClient } from 'rllm-tinker-client';

/** Sequences of every batch, and the longest there is: an engine that compiles each new shape meets few. */
const ROWS = 32;
const NEW_TOKENS = 8;

export const PROMPT: readonly number[] = [5, 6, 7, 8];

export const ADAM = { learningRate: 0.01, beta1: 0.9, beta2: 0.95, eps: 1e-8 };

/** 32 sequences of 8 tokens, seeded. */
export async function sampleBatch(
  sampler: SamplingClient,
  seed: number,
): Promise<readonly SampledSequence[]> {
  const params = { maxTokens: NEW_TOKENS, seed };
  return (await sampler.sample(PROMPT, { params, numSamples: ROWS })).sequences;
}

/** Share of tokens below 32 in each sequence. */
export function rewardsOf(sequences: readonly SampledSequence[]): readonly number[] {
  return sequences.map(({ tokens }) => tokens.filter((id) => id < 32).length / tokens.length);
}

/**
 * Sequences for importance sampling: advantage = reward − mean reward, see `rewardsOf`. Weights are 1 at what
 * was sampled, the mask that tx wants.
 */
export function datumsOf(sequences: readonly SampledSequence[]): readonly Datum[] {
  const rewards = rewardsOf(sequences);
  const mean = rewards.reduce((a, b) => a + b, 0) / rewards.length;
  const padding = PROMPT.slice(1).map(() => 0);
  return sequences.map(({ tokens, logprobs }, i) => {
    const whole = [...PROMPT, ...tokens];
    const spread = (value: number): readonly number[] => [...padding, ...Array.from(tokens, () => value)];
    return {
      modelInput: whole.slice(0, -1),
      lossInputs: {
        target_tokens: whole.slice(1),
        logprobs: [...padding, ...logprobs],
        advantages: spread((rewards[i] ?? mean) - mean),
        weights: spread(1),
      },
    };
  });
}

/** 32 sequences for cross-entropy, other ones for every `variant`. */
export function copying(variant: number): readonly Datum[] {
  return Array.from({ length: ROWS }, (_, row) => {
    const whole = Array.from(
      { length: PROMPT.length + NEW_TOKENS },
      (_, i) => (7 * row + 3 * i + 41 * variant) % 300,
    );
    const weights = whole.slice(1).map((_, i) => (i < PROMPT.length - 1 ? 0 : 1));
    return { modelInput: whole.slice(0, -1), lossInputs: { target_tokens: whole.slice(1), weights } };
  });
}

/** Log-probs behind the prompt, of one sequence after the other. */
export function logprobsOf({ outputs }: ForwardResult): readonly number[] {
  return outputs.flatMap(({ logprobs }) => [...logprobs.slice(PROMPT.length - 1)]);
}
