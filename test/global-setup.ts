import { execSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Builds, since the command-line, worker and package tests run the built program as a user does (`npm test` has built already when it
 * comes here); and gives the suite one temporary folder, removed at its end, for all that tests leave behind.
 */
export default function setup(): () => void {
  if (process.env['TESTS_BUILT'] !== '1') {
    execSync('npm run --silent build', {
      cwd: fileURLToPath(new URL('..', import.meta.url)),
      stdio: 'inherit',
    });
  }
  const folder = mkdtempSync(join(tmpdir(), 'rllm-tests-'));
  process.env['TMPDIR'] = folder;
  return () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
}
