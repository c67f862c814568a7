/** A list of all outcomes: arm of each of `length` trajectories, and the probability of it. */
function outcomes(policies: readonly (readonly number[])[], rollouts: number): readonly [number[], number][] {
  let all: [number[], number][] = [[[], 1]];
  for (const policy of policies) {
    for (let i = 0; i < rollouts; i++) {
      all = all.flatMap(([arms, p]) =>
        policy.map((chance, k): [number[], number] => [[...arms, k], p * chance]),
      );
    }
  }
  return all;
}

/** `advantages(rewards)[g][i]`, written anew in the test. */
export type Naive = (rewards: readonly (readonly number[])[]) => readonly (readonly number[])[];

export interface ExactGradient {
  readonly mean: readonly number[];
  /** Trace of the covariance. */
  readonly variance: number;
}

/**
 * Mean and variance of the gradient of one batch by adding up every outcome with its probability: the gradient of each outcome is
 * the mean over trajectories of A (e_k − π), in the logits of its own task.
 */
export function exactGradient(
  policies: readonly (readonly number[])[],
  arms: readonly number[],
  rollouts: number,
  naive: Naive,
): ExactGradient {
  const size = policies.length * arms.length;
  const mean = new Array<number>(size).fill(0);
  let second = 0;
  for (const [chosen, p] of outcomes(policies, rollouts)) {
    const armOf = (g: number, i: number): number => chosen[g * rollouts + i] ?? 0;
    const each = Array.from({ length: rollouts }, (_, i) => i);
    const advantages = naive(policies.map((_, g) => each.map((i) => arms[armOf(g, i)] ?? 0)));
    const gradient = new Array<number>(size).fill(0);
    policies.forEach((policy, g) => {
      for (const i of each) {
        policy.forEach((chance, k) => {
          const score = (armOf(g, i) === k ? 1 : 0) - chance;
          gradient[g * arms.length + k] =
            (gradient[g * arms.length + k] ?? 0) +
            ((advantages[g]?.[i] ?? 0) * score) / (policies.length * rollouts);
        });
      }
    });
    gradient.forEach((value, d) => {
      mean[d] = (mean[d] ?? 0) + p * value;
    });
    second += p * gradient.reduce((sum, value) => sum + value * value, 0);
  }
  return { mean, variance: second - mean.reduce((sum, value) => sum + value * value, 0) };
}
