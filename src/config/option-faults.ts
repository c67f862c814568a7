import { type Check, fieldProblems } from '../field-checks.js';
import type { ConfigFault } from './config-fault.js';

/** What is wrong with the options of a call in code, which a program without types may misspell. */
export function optionFaults(
  options: unknown,
  checks: Readonly<Record<string, Check>>,
  name = 'options',
): readonly ConfigFault[] {
  return fieldProblems(options, checks).map(({ at, message }) => ({
    file: null,
    path: at === '' ? name : `${name}.${at}`,
    message,
  }));
}
