import type { Metrics } from '../../types/index.js';
import { numberText, percentText } from './number-text.js';

/** The few numbers of a step that a person follows. */
export interface Headline {
  /** Mean reward by role, in the order of the metrics. */
  readonly rewards: readonly { readonly role: string; readonly mean: number }[];
  /** Share of the step's rollouts that were correct. */
  readonly win: number | undefined;
}

const REWARD_MEAN = /^reward\/(.+)\/mean$/;

export function headlineOf(metrics: Metrics): Headline {
  const rewards = Object.entries(metrics).flatMap(([key, mean]) => {
    const role = REWARD_MEAN.exec(key)?.[1];
    return role === undefined ? [] : [{ role, mean }];
  });
  return { rewards, win: metrics['batch/solve_rate'] };
}

/** `reward 0.625` for one role, `reward solver 0.500 · judge 0.250` for several; nothing without rewards. */
export function rewardText({ rewards }: Headline): string {
  const [only, ...more] = rewards;
  if (only === undefined) return '';
  if (more.length === 0) return `reward ${rewardNumber(only.mean)}`;
  return `reward ${rewards.map(({ role, mean }) => `${role} ${rewardNumber(mean)}`).join(' · ')}`;
}

/** As wide for 5 % as for 100 %, so that lines below each other line up. */
export function winText({ win }: Headline): string {
  return win === undefined ? '' : `win ${percentText(win).padStart(4)}`;
}

/** Mostly in [0, 1]: three decimals always, so that the width stays the same. */
function rewardNumber(value: number): string {
  return Math.abs(value) < 10 ? value.toFixed(3) : numberText(value);
}

/** `pass@1 71%` for one data source, `pass@1 gsm 50% · math 25%` for several; nothing without validation. */
export function passText(metrics: Metrics): string {
  const passes = Object.entries(metrics).flatMap(([key, value]) => {
    const source = /^val\/(.+)\/pass@1$/.exec(key)?.[1];
    return source === undefined ? [] : [{ source, text: percentText(value) }];
  });
  const [only, ...more] = passes;
  if (only === undefined) return '';
  if (more.length === 0) return `pass@1 ${only.text}`;
  return `pass@1 ${passes.map(({ source, text }) => `${source} ${text}`).join(' · ')}`;
}

/** Joins what is there, with two spaces between. */
export function joined(parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join('  ');
}
