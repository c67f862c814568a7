// npm test [-- FILTER …]: builds once, runs every suite, and ends with one line for all: `N passed, N failed`.
// `npx vitest run` runs the main suite alone.
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * All of the no-op suite takes as long as the main one; here runs what tries plugins and apps, and `npm run test:no-op` runs the rest.
 * What runs on a real engine comes last, when its Python environment is there.
 */
const SUITES = [
  { config: 'vitest.config.ts' },
  { config: 'vitest.no-op.config.ts', among: ['test/container', 'test/no-op'] },
  { config: 'vitest.tinker.config.ts' },
];

const cwd = fileURLToPath(new URL('..', import.meta.url));
const filters = process.argv.slice(2);
const env = { ...process.env, TESTS_BUILT: '1' };
const folder = mkdtempSync(join(tmpdir(), 'rllm-suites-'));

/** Runs a program in the repository; its output is shown as it comes. */
function run(command, args) {
  const { status } = spawnSync(command, args, { cwd, env, stdio: 'inherit' });
  return status === 0;
}

/** Tests of one suite that passed and failed. A file that could not be run at all counts as one that failed, as does a crash. */
function runSuite({ config, among = [] }) {
  const report = join(folder, `${config}.json`);
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  const some = filters.length === 0 ? among : ['--passWithNoTests', ...filters];
  const isFine = run('npx', ['vitest', 'run', '--config', config, ...reporters, ...some]);
  const { passed, failed } = counted(report);
  return { passed, failed: isFine ? failed : Math.max(failed, 1) };
}

function counted(report) {
  try {
    const { numPassedTests, numFailedTests, testResults } = JSON.parse(readFileSync(report, 'utf8'));
    const broken = testResults.filter(
      ({ status, assertionResults }) =>
        status === 'failed' && !assertionResults.some((test) => test.status === 'failed'),
    );
    return { passed: numPassedTests, failed: numFailedTests + broken.length };
  } catch {
    return { passed: 0, failed: 1 };
  }
}

// Beside the suites, since it takes minutes where an environment is not there yet.
if (filters.length === 0) {
  const venvs = spawn('npx', ['jiti', 'test/build-python-venvs.ts'], { cwd, env, stdio: 'ignore' });
  process.on('exit', () => venvs.kill());
}
if (!run('npm', ['run', '--silent', 'build'])) process.exit(1);
const counts = SUITES.map(runSuite);
rmSync(folder, { recursive: true, force: true });
const sum = (of) => counts.reduce((total, count) => total + of(count), 0);
const [passed, failed] = [sum((count) => count.passed), sum((count) => count.failed)];
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 || passed === 0 ? 1 : 0;
