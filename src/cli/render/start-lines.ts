import type { Paint } from '../paint.js';
import { fieldLines } from './table-lines.js';

/** What is about to run, resolved: a reader should see at once whether it is what was meant. */
export interface StartText {
  readonly version: string;
  readonly project: string;
  readonly experiment: string;
  /** Config file as a person would write it; null without one. */
  readonly configFile: string | null;
  readonly backend: string;
  readonly workflow: string;
  readonly seed: number;
  /** Each role with its estimator and formula; the role is null for all others. */
  readonly estimators: readonly { readonly role: string | null; readonly text: string }[];
  /** `name@version (path)`, one each. */
  readonly plugins: readonly string[];
}

/** Width of the longest name of a field, for lines that follow. */
export const FIELD_WIDTH: number = 'estimator'.length;

export function startLines(start: StartText, paint: Paint): readonly string[] {
  const roles = start.estimators.length > 1;
  const fields: (readonly [string, string])[] = [
    ['config', start.configFile ?? 'none: all defaults'],
    ['workflow', start.workflow],
    ['backend', start.backend],
    ...start.estimators.map(({ role, text }, index): readonly [string, string] => [
      index === 0 ? 'estimator' : '',
      roles ? `${role ?? 'other roles'}: ${text}` : text,
    ]),
    ...start.plugins.map((plugin, index): readonly [string, string] => [
      index === 0 ? 'plugins' : '',
      plugin,
    ]),
    ['seed', String(start.seed)],
  ];
  return [
    `${paint('bold', `${start.project}/${start.experiment}`)} ${paint('dim', `· rllm-sdk ${start.version}`)}`,
    ...fieldLines(fields, paint),
  ];
}
