import { messageOf } from '../../errors.js';
import type { ContractCheck } from '../../testing/index.js';

/**
 * Runs a suite of `rllm-sdk/testing`. A suite that cannot even be made counts as one failure.
 *
 * @returns for each check that failed: the subject, the check, and what happened instead.
 */
export async function failuresOf(
  subject: string,
  suite: () => readonly ContractCheck[],
): Promise<readonly string[]> {
  let checks: readonly ContractCheck[];
  try {
    checks = suite();
  } catch (thrown) {
    return [`${subject} cannot be tried: ${messageOf(thrown)}`];
  }
  const failures: string[] = [];
  for (const { name, run } of checks) {
    try {
      await run();
    } catch (thrown) {
      failures.push(`${subject}: ${name}: ${messageOf(thrown)}`);
    }
  }
  return failures;
}
