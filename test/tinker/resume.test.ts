import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { readEpisodes } from '../../src/trainer/index.js';
import { TinkerServer } from './tinker-server.js';
import { type Metrics, metricsOf, startTraining, train } from './train.js';

const ROLLOUTS = 8;
const SETTINGS = [
  'trainer.totalBatches=5',
  'trainer.saveFreq=2',
  'tracking.logEpisodes=true',
  `rollout.n=${ROLLOUTS}`,
];
const CONFIG = [...['--config', 'range.rllmrc.json'], ...SETTINGS.flatMap((setting) => ['--set', setting])];

/** All there is to compare of two runs. */
interface Numbers {
  readonly metrics: readonly Metrics[];
  /** Token ids that each rollout of the last step sampled. */
  readonly sampled: readonly (readonly number[])[];
}

async function numbersOf(run: string): Promise<Numbers> {
  const sampled: (readonly number[])[] = [];
  for await (const { step, episodes } of readEpisodes(run, 'train', 'last')) {
    expect(step).toBe(5);
    for (const { trajectories } of episodes) {
      sampled.push(trajectories.flatMap(({ steps }) => steps.flatMap(({ responseIds }) => responseIds)));
    }
  }
  return { metrics: await metricsOf(run), sampled };
}

describe('a run of 5 steps with a checkpoint after each second one', () => {
  const server = new TinkerServer(inject('server'));
  let folder: string;
  let uninterrupted: Numbers;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'resume-'));
    const run = join(folder, 'whole');
    await train(server.url, [...CONFIG, '--run-dir', run]);
    uninterrupted = await numbersOf(run);
    expect(uninterrupted.metrics).toHaveLength(5);
    expect(uninterrupted.sampled).toHaveLength(ROLLOUTS);
  });

  test('that is killed after the third and resumed has the numbers of one that was not', async () => {
    const run = join(folder, 'killed');
    const running = startTraining(server.url, [...CONFIG, '--run-dir', run]);
    await running.until(/step +3\/5/);
    running.child.kill('SIGKILL');
    expect((await running.outcome).signal).toBe('SIGKILL');
    await train(server.url, ['--resume', run]);
    expect(await numbersOf(run)).toEqual(uninterrupted);
  });

  test('whose server is killed and started again ends, says so, and resumed has the same numbers too', async () => {
    const run = join(folder, 'bereft');
    const running = startTraining(server.url, [...CONFIG, '--run-dir', run]);
    await running.until(/step +3\/5/);
    await server.restart();
    const { code, stderr } = await running.outcome;
    expect(code).not.toBe(0);
    expect(stderr).toMatch(/(?:BACKEND|WORKFLOW)_FAILED/);
    await train(server.url, ['--resume', run]);
    expect(await numbersOf(run)).toEqual(uninterrupted);
  });
});
