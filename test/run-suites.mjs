// npm test [-- FILTER …]: builds once, runs every suite, and ends with one line for all: `N passed, N failed`.
// `npx vitest run` runs the main suite alone.
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const BESIDE = [`--maxWorkers=${Math.max(1, availableParallelism() - 1)}`];

/**
 * Stages, each of lanes that run at once, each of suites one after the other. A real engine comes in the second stage, when its Python
 * environment is there; it keeps one core busy. All of the no-op suite takes as long as the main one: here runs what tries plugins and
 * apps, and `npm run test:no-op` runs the rest.
 */
const STAGES = [
  [[{ name: 'apps', config: 'vitest.config.ts', options: ['--project=apps'] }]],
  [
    [
      { name: 'others', config: 'vitest.config.ts', options: ['--project=parts', '--project=docs', ...BESIDE] },
      { name: 'no-op', config: 'vitest.no-op.config.ts', options: BESIDE, among: ['test/container', 'test/no-op'] },
    ],
    [{ name: 'tinker', config: 'vitest.tinker.config.ts' }],
  ],
];

const cwd = fileURLToPath(new URL('..', import.meta.url));
const filters = process.argv.slice(2);
const env = { ...process.env, TESTS_BUILT: '1' };
const folder = mkdtempSync(join(tmpdir(), 'rllm-suites-'));

/** Tests of one suite that passed and failed. A file that could not be run at all counts as one that failed, as does a crash. */
async function runSuite({ name, config, options = [], among = [] }, isShown) {
  const report = join(folder, `${name}.json`);
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  const some = filters.length === 0 ? among : ['--passWithNoTests', ...filters];
  const words = ['vitest', 'run', '--config', config, ...options, ...reporters, ...some];
  const isFine = await run('npx', words, isShown);
  const { passed, failed } = counted(report);
  return { passed, failed: isFine ? failed : Math.max(failed, 1) };
}

/** Runs a program in the repository. @param isShown  as it comes; else its output follows when it has ended */
function run(command, words, isShown) {
  return new Promise((resolve) => {
    const where = isShown ? 'inherit' : 'pipe';
    const child = spawn(command, words, { cwd, env, stdio: ['ignore', where, where] });
    const output = [];
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (bytes) => output.push(bytes));
    child.on('error', () => resolve(false));
    child.on('close', (code) => {
      ended.push(Buffer.concat(output));
      resolve(code === 0);
    });
  });
}

/** Output that was held back. */
const ended = [];

async function runStage(lanes) {
  const counts = await Promise.all(lanes.map((suites, i) => runLane(suites, i === 0)));
  for (const output of ended.splice(0)) process.stdout.write(output);
  return counts.flat();
}

async function runLane(suites, isShown) {
  const counts = [];
  for (const suite of suites) counts.push(await runSuite(suite, isShown));
  return counts;
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
const { status } = spawnSync('npm', ['run', '--silent', 'build'], { cwd, env, stdio: 'inherit' });
if (status !== 0) process.exit(1);
const counts = [];
for (const lanes of STAGES) counts.push(...(await runStage(lanes)));
rmSync(folder, { recursive: true, force: true });
const sum = (of) => counts.reduce((total, count) => total + of(count), 0);
const [passed, failed] = [sum((count) => count.passed), sum((count) => count.failed)];
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 || passed === 0 ? 1 : 0;
