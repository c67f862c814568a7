import type { CriticSettings } from '../../../src/backend/local/critic.js';
import { type ModelShape, modelParameters } from '../../../src/backend/local/model-shape.js';
import type { Loss, TokenWeights } from '../../../src/backend/loss.js';

/**
 * The same transformer by naive loops in float64, with its backward pass written by hand: what the compiled one is checked against. One sequence
 * at a time; matrices are flat, row by row.
 */
export interface ReferenceRow {
  readonly tokens: readonly number[];
  readonly targets: readonly number[];
  readonly sampledLogprobs: readonly number[];
  /** `undefined` where the target is not trained. */
  readonly weights: readonly (TokenWeights | undefined)[];
  /** What the critic should say and what it said before; `undefined` where it learns nothing. */
  readonly values?: readonly ({ readonly target: number; readonly before: number } | undefined)[];
}

type Vector = number[];

export class ReferenceModel {
  private readonly shape: ModelShape;
  private readonly values: ArrayLike<number>;
  private readonly offsets: ReadonlyMap<string, number>;
  readonly gradient: Float64Array;

  constructor(shape: ModelShape, values: ArrayLike<number>) {
    this.shape = shape;
    this.values = values;
    this.offsets = new Map(modelParameters(shape).map(({ name, offset }) => [name, offset]));
    this.gradient = new Float64Array(values.length);
  }

  /** Log-probabilities of the next token after each token, [T][V]. */
  logprobs(tokens: readonly number[]): Vector[] {
    return this.forward(tokens).logprobs;
  }

  /** The critic's values after each token, [T]. */
  valuesOf(tokens: readonly number[]): Vector {
    return this.forward(tokens).values;
  }

  /** Adds the gradient of a row's summed loss and that of the critic; returns the sum of both. */
  addGradient(row: ReferenceRow, loss: Loss, critic?: CriticSettings): number {
    const { logprobs, values, backward } = this.forward(row.tokens);
    let total = 0;
    const dValues = values.map((value, t) => {
      const known = row.values?.[t];
      if (critic === undefined || known === undefined) return 0;
      const [error, slope] = squaredErrorAndSlope(value, known, critic.clip);
      total += critic.coefficient * error;
      return critic.coefficient * slope;
    });
    const dLogits = logprobs.map((logp, t) => {
      const weights = row.weights[t];
      const target = row.targets[t] as number;
      if (weights === undefined) return logp.map(() => 0);
      const [value, slope] = lossAndSlope(
        loss,
        logp[target] as number,
        row.sampledLogprobs[t] as number,
        weights,
      );
      total += value;
      return logp.map((lp, v) => slope * ((v === target ? 1 : 0) - Math.exp(lp)));
    });
    backward(dLogits, dValues, critic?.detach ?? false);
    return total;
  }

  private forward(tokens: readonly number[]): {
    logprobs: Vector[];
    values: Vector;
    backward: (dLogits: Vector[], dValues: Vector, isDetached: boolean) => void;
  } {
    const { dModel: D, nLayers, nHeads: H, dFf: F, vocabularySize: V } = this.shape;
    const hd = D / H;
    const undo: ((dx: Vector[]) => Vector[])[] = [];
    let x = tokens.map((token, t) =>
      range(D).map(
        (d) => this.at('token_embedding', token * D + d) + this.at('position_embedding', t * D + d),
      ),
    );
    for (let l = 0; l < nLayers; l++) {
      const block = `blocks.${l}`;
      const attentionNorm = this.norm(x, `${block}.attention_norm`);
      const qkv = this.linear(attentionNorm.out, `${block}.qkv`, D, 3 * D);
      const part = (t: number, which: number, h: number, c: number): number =>
        qkv.out[t]?.[which * D + h * hd + c] as number;
      const attention = tokens.map((_, t) =>
        range(H).map((h) => {
          const scores = range(t + 1).map(
            (s) => range(hd).reduce((sum, c) => sum + part(t, 0, h, c) * part(s, 1, h, c), 0) / Math.sqrt(hd),
          );
          const exps = scores.map((score) => Math.exp(score - Math.max(...scores)));
          const total = exps.reduce((a, b) => a + b, 0);
          return exps.map((e) => e / total);
        }),
      );
      const mixed = tokens.map((_, t) =>
        range(D).map((d) => {
          const h = Math.floor(d / hd);
          return range(t + 1).reduce(
            (sum, s) => sum + (attention[t]?.[h]?.[s] as number) * part(s, 2, h, d % hd),
            0,
          );
        }),
      );
      const out = this.linear(mixed, `${block}.attention_out`, D, D);
      x = add(x, out.out);
      undo.push((dx) => {
        const dMixed = out.backward(dx);
        const dQkv = tokens.map(() => new Array<number>(3 * D).fill(0));
        const bump = (t: number, which: number, h: number, c: number, by: number): void => {
          const rowOf = dQkv[t] as Vector;
          rowOf[which * D + h * hd + c] = (rowOf[which * D + h * hd + c] as number) + by;
        };
        for (const t of range(tokens.length)) {
          for (const h of range(H)) {
            const probabilities = attention[t]?.[h] as Vector;
            const dProbabilities = probabilities.map((_, s) =>
              range(hd).reduce((sum, c) => sum + (dMixed[t]?.[h * hd + c] as number) * part(s, 2, h, c), 0),
            );
            const meanSlope = probabilities.reduce((sum, p, s) => sum + p * (dProbabilities[s] as number), 0);
            for (const [s, p] of probabilities.entries()) {
              const dScore = (p * ((dProbabilities[s] as number) - meanSlope)) / Math.sqrt(hd);
              for (const c of range(hd)) {
                bump(t, 0, h, c, dScore * part(s, 1, h, c));
                bump(s, 1, h, c, dScore * part(t, 0, h, c));
                bump(s, 2, h, c, p * (dMixed[t]?.[h * hd + c] as number));
              }
            }
          }
        }
        return add(dx, attentionNorm.backward(qkv.backward(dQkv)));
      });
      const ffNorm = this.norm(x, `${block}.feed_forward_norm`);
      const hidden = this.linear(ffNorm.out, `${block}.feed_forward_in`, D, F);
      const active = hidden.out.map((row) => row.map((value) => Math.max(value, 0)));
      const ffOut = this.linear(active, `${block}.feed_forward_out`, F, D);
      x = add(x, ffOut.out);
      undo.push((dx) => {
        const dActive = ffOut.backward(dx);
        const dHidden = dActive.map((row, t) =>
          row.map((d, f) => ((hidden.out[t]?.[f] as number) > 0 ? d : 0)),
        );
        return add(dx, ffNorm.backward(hidden.backward(dHidden)));
      });
    }
    const finalNorm = this.norm(x, 'final_norm');
    const logits = this.linear(finalNorm.out, 'head', D, V);
    const logprobs = logits.out.map((row) => {
      const top = Math.max(...row);
      const total = Math.log(row.reduce((sum, value) => sum + Math.exp(value - top), 0)) + top;
      return row.map((value) => value - total);
    });
    const valueHead = this.shape.valueHead
      ? this.linear(finalNorm.out, 'value_head', D, 1)
      : { out: tokens.map(() => [0]), backward: () => tokens.map(() => range(D).map(() => 0)) };
    const backward = (dLogits: Vector[], dValues: Vector, isDetached: boolean): void => {
      const fromValues = valueHead.backward(dValues.map((slope) => [slope]));
      const fromLogits = logits.backward(dLogits);
      let dx = finalNorm.backward(isDetached ? fromLogits : add(fromLogits, fromValues));
      for (const step of undo.reverse()) dx = step(dx);
      for (const [t, token] of tokens.entries()) {
        for (const d of range(D)) {
          this.bump('token_embedding', token * D + d, dx[t]?.[d] as number);
          this.bump('position_embedding', t * D + d, dx[t]?.[d] as number);
        }
      }
    };
    return { logprobs, values: valueHead.out.map(([value]) => value as number), backward };
  }

  private linear(x: Vector[], name: string, inputs: number, outputs: number) {
    return {
      out: x.map((row) =>
        range(outputs).map((o) =>
          row.reduce((sum, value, i) => sum + value * this.at(name, i * outputs + o), 0),
        ),
      ),
      backward: (dOut: Vector[]): Vector[] => {
        for (const [t, row] of x.entries()) {
          for (const i of range(inputs)) {
            for (const o of range(outputs)) {
              this.bump(name, i * outputs + o, (row[i] as number) * (dOut[t]?.[o] as number));
            }
          }
        }
        return dOut.map((row) =>
          range(inputs).map((i) => row.reduce((sum, d, o) => sum + d * this.at(name, i * outputs + o), 0)),
        );
      },
    };
  }

  private norm(x: Vector[], name: string) {
    const D = this.shape.dModel;
    const scales = x.map(
      (row) => 1 / Math.sqrt(row.reduce((sum, value) => sum + value * value, 0) / D + 1e-5),
    );
    return {
      out: x.map((row, t) => row.map((value, d) => value * (scales[t] as number) * this.at(name, d))),
      backward: (dOut: Vector[]): Vector[] =>
        x.map((row, t) => {
          const scale = scales[t] as number;
          const dNormed = (dOut[t] as Vector).map((d, i) => d * this.at(name, i));
          const along = row.reduce((sum, value, i) => sum + value * (dNormed[i] as number), 0);
          for (const [d, value] of row.entries())
            this.bump(name, d, (dOut[t]?.[d] as number) * value * scale);
          return row.map((value, i) => scale * (dNormed[i] as number) - (scale ** 3 * value * along) / D);
        }),
    };
  }

  private at(name: string, index: number): number {
    return this.values[(this.offsets.get(name) as number) + index] as number;
  }

  private bump(name: string, index: number, by: number): void {
    const at = (this.offsets.get(name) as number) + index;
    this.gradient[at] = (this.gradient[at] as number) + by;
  }
}

/** A loss of one token and its slope in logp, from the formulas of Tinker's documentation, one trajectory's advantage at a time. */
function lossAndSlope(
  loss: Loss,
  logp: number,
  q: number,
  { positive, negative, count }: TokenWeights,
): [number, number] {
  const r = Math.exp(logp - q);
  const sum = (of: (advantage: number) => [number, number]): [number, number] => {
    const [a, b] = [of(positive), of(negative)];
    return [a[0] + b[0], a[1] + b[1]];
  };
  switch (loss.name) {
    case 'importance_sampling':
      return sum((A) => [-r * A, -r * A]);
    case 'ppo':
      return sum((A) => {
        const clipped = Math.min(Math.max(r, loss.low), loss.high);
        return r * A <= clipped * A ? [-r * A, -r * A] : [-clipped * A, 0];
      });
    case 'cispo': {
      const clipped = Math.min(Math.max(r, loss.low), loss.high);
      return sum((A) => [-clipped * logp * A, -clipped * A]);
    }
    case 'dro': {
      const [value, slope] = sum((A) => [-logp * A, -A]);
      return [value + 0.5 * loss.beta * count * (logp - q) ** 2, slope + loss.beta * count * (logp - q)];
    }
    case 'cross_entropy':
      return sum((A) => [-logp * A, -A]);
  }
}

/** PPO2's value loss for one trajectory: the worse of the value and of it held near the old one. */
function squaredErrorAndSlope(
  value: number,
  { target, before }: { readonly target: number; readonly before: number },
  clip: number | null,
): [number, number] {
  const free: [number, number] = [(value - target) ** 2, 2 * (value - target)];
  if (clip === null || Math.abs(value - before) <= clip) return free;
  const held = before + Math.sign(value - before) * clip;
  return (held - target) ** 2 > free[0] ? [(held - target) ** 2, 0] : free;
}

function add(a: Vector[], b: Vector[]): Vector[] {
  return a.map((row, t) => row.map((value, d) => value + (b[t]?.[d] as number)));
}

function range(n: number): number[] {
  return Array.from({ length: n }, (_, i) => i);
}
