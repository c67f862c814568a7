import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { stream } from '../../src/random.js';
import { readNumbers, tempFolders } from './tiny-run.js';

const folders = tempFolders();
afterAll(() => folders.clear());

const program = fileURLToPath(new URL('./killed-run.mjs', import.meta.url));

/** Runs the program, and kills it as soon as it has begun `steps` steps, if given. Resolves with its exit code, null when killed. */
function start(directory: string, steps = Number.POSITIVE_INFINITY): Promise<number | null> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [program, directory], { stdio: ['ignore', 'pipe', 'pipe'] });
    const said: string[] = [];
    let begun = 0;
    child.stderr.on('data', (text) => said.push(String(text)));
    child.stdout.on('data', (dots) => {
      begun += String(dots).length;
      if (begun >= steps) child.kill('SIGKILL');
    });
    child.on('error', reject);
    child.on('exit', (code) => {
      if (code === null || code === 0) resolve(code);
      else reject(new Error(`exit ${code}: ${said.join('')}`));
    });
  });
}

test('a process killed at any instant and started again ends with the metrics of one that was not', async () => {
  const whole = join(await folders.make(), 'run');
  expect(await start(whole)).toBe(0);
  const expected = await readNumbers(whole);
  expect(expected.filter(({ kind }) => kind === 'train')).toHaveLength(30);

  const directory = join(await folders.make(), 'run');
  const random = stream(7, 'kill');
  for (let kill = 0; kill < 3; kill++) expect(await start(directory, 1 + random.int(7))).toBe(null);
  expect(await start(directory)).toBe(0);
  expect(await readNumbers(directory)).toEqual(expected);
});
