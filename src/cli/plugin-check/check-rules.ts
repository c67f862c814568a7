/** Everything that `rllm plugins check` looks at. `docs/plugins-check.md` has the same rows, which a test checks. */
export const CHECK_RULES = {
  'package-json': 'error',
  'package-version': 'error',
  'package-keyword': 'warn',
  'package-license': 'warn',
  'package-readme': 'warn',
  'package-entry': 'error',
  'package-files': 'error',
  'package-unpacked': 'warn',
  'package-types': 'warn',
  'sdk-peer': 'error',
  'sdk-range': 'error',
  'plugin-loads': 'error',
  'plugin-options': 'warn',
  'plugin-empty': 'warn',
  'name-taken': 'error',
  'name-replaced': 'warn',
  'no-summary': 'warn',
  'part-skipped': 'warn',
  'estimator-contract': 'error',
  'estimator-unusual': 'warn',
  'grouping-hook-contract': 'error',
  'backend-contract': 'error',
  'tracker-contract': 'error',
  'reward-value': 'error',
  'reward-threw': 'warn',
  'command-flags': 'error',
} as const;

export type CheckRule = keyof typeof CHECK_RULES;

/** One thing that is wrong with a plugin, or may be. */
export interface Finding {
  readonly rule: CheckRule;
  readonly message: string;
  /** Where it is: a file of the package. */
  readonly file: string;
}

export type Severity = (typeof CHECK_RULES)[CheckRule];

export function severityOf({ rule }: Finding): Severity {
  return CHECK_RULES[rule];
}
