import { expect, test } from 'vitest';
import { CONFIG, guessProject } from '../../../test/cli/guess-project.js';
import { linkPlugin } from '../../../test/cli/link-plugin.js';
import { eventsOf, rllm } from '../../../test/cli/rllm.js';
import { bestOf } from './support.js';

test('rllm eval measures the best checkpoint of a run that stopped early', async () => {
  const use = 'rllm-plugin-early-stop';
  const options = { metric: 'val/unknown/pass@1', patience: 1 };
  const trainer = { ...CONFIG.trainer, totalBatches: 50, testFreq: 1, saveFreq: 0 };
  const config = { ...CONFIG, plugins: [...CONFIG.plugins, { use, options }], trainer };
  const folder = guessProject({ 'rllmrc.json': config });
  linkPlugin(folder, use);
  const trained = await rllm(folder, ['train', '--run-dir', 'run']);
  expect(trained.code).toBe(0);
  expect(trained.stdout + trained.stderr).toContain('has not improved in 1 validation');
  const best = await bestOf(`${folder}/run`);
  const outcome = await rllm(folder, ['eval', '--checkpoint', 'run/best', '--json']);
  expect(outcome.code).toBe(0);
  const [{ metrics } = {}] = eventsOf(outcome);
  expect(best).toMatchObject({ value: (metrics as Record<string, number>)['val/unknown/pass@1'] });
});
