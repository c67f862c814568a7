import type { Metrics } from '../../types/index.js';
import { headlineOf } from './headline.js';
import { type CurveOptions, type CurvePoint, rewardCurve } from './reward-curve.js';

/** Mean reward of each role at each step of this process, for the curve at the end. */
export class RewardHistory {
  readonly #byRole = new Map<string, CurvePoint[]>();

  add(step: number, metrics: Metrics): void {
    for (const { role, mean } of headlineOf(metrics).rewards) {
      const points = this.#byRole.get(role) ?? [];
      this.#byRole.set(role, points);
      points.push({ step, value: mean });
    }
  }

  /** One curve below the other, an empty line before each. */
  lines(options: Omit<CurveOptions, 'title'>): readonly string[] {
    return [...this.#byRole].flatMap(([role, points]) => {
      const title = this.#byRole.size === 1 ? 'mean reward' : `mean reward of ${role}`;
      const curve = rewardCurve(points, { ...options, title });
      return curve.length === 0 ? [] : ['', ...curve];
    });
  }
}
