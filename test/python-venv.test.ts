import { execFileSync } from 'node:child_process';
import { expect, onTestFinished, test, vi } from 'vitest';
import { pythonVenv } from './python-venv.js';

test('the environment has the packages that its file pins, and is built once', async () => {
  const [first, second] = await Promise.all([pythonVenv('tensorboard'), pythonVenv('tensorboard')]);
  const version = 'from importlib.metadata import version; print(version("tensorboard"))';
  expect(execFileSync(first, ['-c', version], { encoding: 'utf8' }).trim()).toBe('2.21.0');
  expect(second).toBe(first);
}, 600_000);

test('without a python, it is told what is missing and what to do', async () => {
  vi.stubEnv('TEST_PYTHON', '/no/such/python');
  onTestFinished(() => void vi.unstubAllEnvs());
  const built = pythonVenv('tinker');
  await expect(built).rejects.toThrow(
    /"tinker" cannot be built.*there is no \/no\/such\/python.*TEST_PYTHON/s,
  );
});
