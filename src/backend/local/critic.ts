/** How the critic is trained: settled options. */
export interface CriticSettings {
  /** Weight of the value loss beside the policy's. */
  readonly coefficient: number;
  /** The value loss changes the value head only, not the model below it. */
  readonly detach: boolean;
  /** How far a value may move from that before the update and still gain; `null` for any. */
  readonly clip: number | null;
}

/** What the value of a context should be, for all trajectories that went on from it. */
export interface ValueTerm {
  count: number;
  /** Mean of their returns. */
  mean: number;
  /** Σ (return − mean)². */
  spread: number;
  /** The value before the update. */
  readonly before: number;
}

/** Takes one more return into a term. */
export function addReturn(term: ValueTerm, target: number): void {
  term.count++;
  const distance = target - term.mean;
  term.mean += distance / term.count;
  term.spread += distance * (target - term.mean);
}

/**
 * Squared error of a value, in float64: the definition that the compiled one is tested against, and the value that is logged.
 *
 * Without a clip n·(V − mean)², which has the gradient of Σ (V − return)² over the n trajectories and is less than it by `spread`. With a clip
 * n·max((V − R)², (V' − R)²) where V' is V kept within ±clip of the value before the update; then all n returns are R.
 *
 * As PPO2 and verl, without their factor ½.
 *
 * @see Schulman et al. 2017, https://arxiv.org/abs/1707.06347
 */
export function valueLoss(
  value: number,
  { count, mean, before }: Omit<ValueTerm, 'spread'>,
  clip: number | null,
): number {
  const error = (value - mean) ** 2;
  if (clip === null) return count * error;
  const kept = before + Math.min(Math.max(value - before, -clip), clip);
  return count * Math.max(error, (kept - mean) ** 2);
}
