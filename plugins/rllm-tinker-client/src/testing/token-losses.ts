/** What a loss is computed from at one position. */
export interface TokenInputs {
  /** Log-prob of the target now. */
  readonly logprob: number;
  /** Log-prob of the target when it was sampled. */
  readonly sampled: number;
  readonly advantage: number;
  readonly weight: number;
}

/** Loss of one position and its derivative by the log-prob. */
export interface TokenLoss {
  readonly loss: number;
  readonly slope: number;
}

type Rule = (inputs: TokenInputs, config: Readonly<Record<string, number>>) => TokenLoss;

const ratio = ({ logprob, sampled }: TokenInputs): number => Math.exp(logprob - sampled);

const clipped = (r: number, config: Readonly<Record<string, number>>): number =>
  Math.min(Math.max(r, config['clip_low_threshold'] ?? 0.8), config['clip_high_threshold'] ?? 1.2);

/** The protocol's losses as `LossFn` defines them; `weight` is applied by the engine. */
export const TOKEN_LOSSES: Readonly<Record<string, Rule>> = {
  cross_entropy: ({ logprob }) => ({ loss: -logprob, slope: -1 }),
  importance_sampling: (inputs) => {
    const gain = ratio(inputs) * inputs.advantage;
    return { loss: -gain, slope: -gain };
  },
  ppo: (inputs, config) => {
    const r = ratio(inputs);
    const free = r * inputs.advantage;
    const bound = clipped(r, config) * inputs.advantage;
    return free <= bound ? { loss: -free, slope: -free } : { loss: -bound, slope: 0 };
  },
  cispo: (inputs, config) => {
    const factor = clipped(ratio(inputs), config) * inputs.advantage;
    return { loss: -factor * inputs.logprob, slope: -factor };
  },
  dro: ({ logprob, sampled, advantage }, { beta = 0.05 }) => {
    const distance = logprob - sampled;
    return {
      loss: -(logprob * advantage - 0.5 * beta * distance ** 2),
      slope: -(advantage - beta * distance),
    };
  },
};
