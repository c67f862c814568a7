import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { CONFIG, guessProject } from './guess-project.js';
import { project } from './project.js';
import { eventsOf, rllm } from './rllm.js';

interface Document {
  readonly source: string;
  readonly estimators: readonly { label: string; advantages: (number | null)[][]; tokens?: number[][][] }[];
  readonly leftOut: readonly { label: string; reasons: string[] }[];
  readonly gradient: null | {
    readonly batches: number;
    readonly seed: number;
    readonly arms: number[];
    readonly estimators: readonly {
      label: string;
      isBiased: boolean;
      normRatio: { value: number; standardError: number };
    }[];
  };
}

/** Estimators as a user writes them; the schema is one by hand, since the user's folder has no library for it. */
const ESTIMATORS = `
import { AdvEstimator } from 'rllm-sdk';
export const critic = AdvEstimator('critic', { requires: ['values'] })(({ rewards }) => ({ advantages: rewards }));
export const lengthy = AdvEstimator('lengthy', { requires: ['lengths'], perToken: true })(({ groups }) => ({
  advantages: groups.map(({ trajectories }) =>
    trajectories.map(({ steps }) => steps.flatMap(({ responseIds }) => responseIds.map((_, t) => t))),
  ),
}));
const by = { type: 'number', minimum: 0, default: 2, description: 'Factor of the reward.' };
const options = {
  '~standard': {
    version: 1,
    vendor: 'test',
    validate: (given) => ({ value: { by: given.by ?? by.default } }),
    jsonSchema: { input: () => ({ type: 'object', properties: { by } }) },
  },
};
export const scaled = AdvEstimator('scaled', { options })(({ rewards, options: { by } }) => ({
  advantages: rewards.map((row) => row.map((r) => r * by)),
}));
`;

/** An estimator with state: every advantage is the number of its batch, from 1. */
const COUNTING = `
import { AdvEstimator } from 'rllm-sdk';
@AdvEstimator('counting')
export class Counting {
  seen = 0;
  estimate({ rewards }) {
    this.seen += 1;
    return { advantages: rewards.map((row) => row.map(() => this.seen)) };
  }
  stateDict() {
    return this.seen;
  }
  loadStateDict(state) {
    this.seen = state;
  }
}
`;

function ownProject(): string {
  return project({ 'own.ts': ESTIMATORS, 'rllmrc.json': { plugins: ['./own.ts'] } });
}

async function compare(folder: string, ...args: readonly string[]): Promise<Document> {
  const outcome = await rllm(folder, ['estimators', 'compare', '--json', ...args]);
  expect(outcome.code, outcome.stderr).toBe(0);
  const [document] = eventsOf(outcome);
  return document as unknown as Document;
}

describe('estimators compare', () => {
  test('shows the advantages of rewards given, a column for each estimator, and their formulas', async () => {
    const args = ['estimators', 'compare', 'grpo', 'rloo', '--rewards', '[[1,0,0,0],[1,1]]'];
    const { code, stdout } = await rllm(project({}), args);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^GROUP +REWARD +grpo +rloo$/m);
    expect(stdout).toMatch(/^0 +1 +1\.732 +1$/m);
    expect(stdout).toMatch(/^ +0 +-0\.577 +-0\.333$/m);
    expect(stdout).toMatch(/^1 +1 +0 +0$/m);
    expect(stdout).toMatch(/^ {2}rloo +r − mean of the others in the group$/m);
  });

  test('without any argument compares all built-in estimators on a sample', async () => {
    const { estimators, gradient } = await compare(project({}));
    const names = estimators.map(({ label }) => label);
    expect(names).toEqual(
      expect.arrayContaining(['grpo', 'reinforce', 'reinforce_plus_plus_baseline', 'rloo']),
    );
    expect(gradient).toBeNull();
  });

  test('reads rewards with lengths from a file', async () => {
    const folder = ownProject();
    writeFileSync(
      join(folder, 'rewards.json'),
      '{ "rewards": [[1, 0], [1, 0]], "lengths": [[3, 2], [1, 1]] }',
    );
    const { source, estimators, leftOut } = await compare(folder, '--rewards', 'rewards.json');
    expect(source).toBe('rewards.json');
    expect(estimators.find(({ label }) => label === 'lengthy')).toMatchObject({
      advantages: [
        [1, 0.5],
        [0, 0],
      ],
      tokens: [
        [
          [0, 1, 2],
          [0, 1],
        ],
        [[0], [0]],
      ],
    });
    expect(leftOut).toEqual([{ label: 'critic', reasons: ["needs a critic's values"] }]);
  });

  test('lets one estimator stand beside itself with other options', async () => {
    const { estimators } = await compare(ownProject(), 'scaled', 'scaled:by=5', '--rewards', '[[1,0]]');
    expect(estimators.map(({ label, advantages }) => [label, advantages])).toEqual([
      ['scaled', [[2, 0]]],
      ['scaled:by=5', [[5, 0]]],
    ]);
  });

  test('takes options from the configuration', async () => {
    const set = ['--set', 'algorithm.estimatorOptions.scaled.by=3', '--set', 'algorithm.advantageClip=2.5'];
    const { estimators } = await compare(ownProject(), 'scaled', '--rewards', '[[1,0]]', ...set);
    expect(estimators[0]?.advantages).toEqual([[2.5, 0]]);
  });

  test('with --gradient measures what the bandit says, the same for the same seed', async () => {
    const args = ['rloo', 'grpo', '--gradient', '--arms', '[1,0,0]', '--rollouts', '4', '--groups', '2'];
    const { gradient } = await compare(project({}), ...args, '--batches', '400', '--seed', '5');
    expect(gradient).toMatchObject({ batches: 400, seed: 5, arms: [1, 0, 0] });
    const [rloo, grpo] = gradient?.estimators ?? [];
    expect(rloo).toMatchObject({ label: 'rloo', isBiased: false });
    expect(grpo).toMatchObject({ label: 'grpo', isBiased: true });
    const again = await compare(project({}), ...args, '--batches', '400', '--seed', '5');
    expect(again.gradient).toEqual(gradient);
  });

  test('with --gradient prints a table and what its columns mean', async () => {
    const args = ['estimators', 'compare', 'rloo', '--gradient', '--batches', '20'];
    const { stdout } = await rllm(project({}), args);
    expect(stdout).toMatch(/^ESTIMATOR +NORM +COSINE +BIAS +BIASED/m);
    expect(stdout).toMatch(/^rloo +\d\.\d+ ±\d/m);
    expect(stdout).toMatch(/^ {2}bias +\|mean − truth\|/m);
  });

  test('with --html writes one page that holds its plots', async () => {
    const folder = project({});
    const args = ['estimators', 'compare', 'rloo', '--gradient', '--batches', '20', '--html', 'page.html'];
    const { code, stderr } = await rllm(folder, args);
    expect(code, stderr).toBe(0);
    const page = readFileSync(join(folder, 'page.html'), 'utf8');
    expect(page).toContain('Chart.js v4');
    expect(page).toContain('Released under the MIT License');
    expect(page).not.toMatch(/sourceMappingURL|\b(?:src|href)="/);
  });

  test.each([
    ['an unknown estimator', ['gropo'], 2, /Did you mean "grpo"/],
    ['options that it does not take', ['rloo:by=2'], 2, /algorithm\.estimatorOptions\.rloo\.by/],
    ['rewards that are no JSON', ['--rewards', '[[1,'], 2, /--rewards is no JSON/],
    ['rewards of the wrong shape', ['--rewards', '[1,0]'], 2, /not a table of rewards/],
    ['a file that is not there', ['--rewards', 'nowhere.json'], 2, /nowhere\.json/],
    ['arms that do not differ', ['--gradient', '--arms', '[1,1]'], 2, /not all equal/],
    ['arms in words', ['--gradient', '--arms', 'many'], 2, /whole number, or a list/],
    ['a step of no run', ['--run', 'nowhere'], 2, /not the folder of a run/],
  ])('refuses %s', async (_name, args, code, message) => {
    const outcome = await rllm(project({}), ['estimators', 'compare', ...args]);
    expect(outcome).toMatchObject({ code, stderr: expect.stringMatching(message) });
  });

  test('fails when there is nothing to compare, with the reason', async () => {
    const { code, stderr } = await rllm(ownProject(), ['estimators', 'compare', 'critic']);
    expect(code).toBe(2);
    expect(stderr).toMatch(/critic: needs a critic's values/);
  });
});

test('estimators list shows the options of each estimator with their defaults', async () => {
  const { stdout } = await rllm(ownProject(), ['estimators', 'list']);
  expect(stdout).toMatch(/^OPTION +TAKES +DEFAULT +MEANING$/m);
  expect(stdout).toMatch(/^scaled\.by +number ≥ 0 +2 +Factor of the reward\.$/m);
});

describe('the saved episodes of a run', { timeout: 60_000 }, () => {
  async function trained(): Promise<string> {
    const tracking = { logEpisodes: true };
    const trainer = { ...CONFIG.trainer, totalBatches: 3 };
    const folder = guessProject({ 'rllmrc.json': { ...CONFIG, tracking, trainer } });
    const { code, stderr } = await rllm(folder, ['train', '--quiet', '--run-dir', 'run']);
    expect(code, stderr).toBe(0);
    return folder;
  }

  /** Every file of a folder with its content. */
  const snapshot = (folder: string): readonly string[] =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => statSync(join(folder, name)).isFile())
      .sort()
      .map((name) => `${name}\n${readFileSync(join(folder, name), 'utf8')}`);

  test('are compared under all estimators and recomputed under one, and stay as they are', async () => {
    const folder = await trained();
    const before = snapshot(join(folder, 'run'));

    const { source, estimators } = await compare(folder, '--run', 'run', '--step', '1');
    expect(source).toBe('step 1 of run');
    expect(estimators.find(({ label }) => label === 'rloo')?.advantages.map((row) => row.length)).toEqual([
      4, 4,
    ]);
    expect((await compare(folder, '--run', 'run')).source).toBe('step 3 of run');

    const recompute = ['advantages', 'recompute', 'run', '--estimator'];
    const same = await rllm(folder, [...recompute, 'grpo', '--json']);
    const [unchanged] = eventsOf(same) as unknown as [Recomputed];
    expect(unchanged.steps.map(({ step }) => step)).toEqual([1, 2, 3]);
    expect(unchanged.largestChanges).toEqual([]);
    for (const { old, new: now } of unchanged.steps) expect(now).toEqual(old);

    const args = [...recompute, 'reinforce', '--step', '1', '--out', 'out.jsonl'];
    const { code, stdout } = await rllm(folder, args);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^STEP +COUNT +OLD MEAN +STD +ZERO +NEW MEAN +STD +ZERO +CORR +FLIPS\n1 +8 /m);
    const lines = readFileSync(join(folder, 'out.jsonl'), 'utf8').trim().split('\n');
    expect(lines).toHaveLength(8);
    for (const line of lines) {
      const { step, reward, new: now } = JSON.parse(line);
      expect([step, now]).toEqual([1, reward]);
    }
    expect(snapshot(join(folder, 'run'))).toEqual(before);
    expect(existsSync(join(folder, 'runs'))).toBe(false);
  });

  test('before the step asked for give an estimator its state, and are missed by number', async () => {
    const tracking = { logEpisodes: true };
    const folder = guessProject({
      'counting.ts': COUNTING,
      'rllmrc.json': {
        ...CONFIG,
        plugins: ['./guess.ts', './counting.ts'],
        algorithm: { estimator: 'counting' },
        tracking,
      },
    });
    const args = ['train', '--quiet', '--run-dir', 'run', '--set', 'trainer.totalBatches=3'];
    expect(await rllm(folder, args)).toMatchObject({ code: 0 });
    const recompute = ['advantages', 'recompute', 'run', '--estimator', 'counting', '--step', '3', '--json'];
    const [third] = eventsOf(await rllm(folder, recompute)) as unknown as [Recomputed];
    expect(third).toMatchObject({ notes: [], steps: [{ step: 3, new: { mean: 3 } }], largestChanges: [] });
    const [own] = (await compare(folder, 'counting', '--run', 'run')).estimators;
    expect(new Set(own?.advantages.flat())).toEqual(new Set([3]));

    rmSync(join(folder, 'run/episodes/train/step-000001'), { recursive: true });
    const [later] = eventsOf(await rllm(folder, recompute)) as unknown as [Recomputed];
    expect(later).toMatchObject({ notes: [expect.stringContaining('Step 1 is not saved')] });
    const text = await rllm(folder, ['estimators', 'compare', 'counting', '--run', 'run']);
    expect(text.stdout).toMatch(/^Step 1 is not saved: .* others than those of the run\.$/m);
  });

  test('that were not saved, or not of that step, are missed by name', async () => {
    const folder = guessProject();
    await rllm(folder, ['train', '--quiet', '--run-dir', 'run', '--set', 'trainer.totalBatches=1']);
    const outcome = await rllm(folder, ['advantages', 'recompute', 'run', '--estimator', 'rloo']);
    expect(outcome).toMatchObject({ code: 2, stderr: expect.stringContaining('tracking.logEpisodes') });
    const other = await rllm(await trained(), ['estimators', 'compare', '--run', 'run', '--step', '9']);
    expect(other).toMatchObject({ code: 2, stderr: expect.stringContaining('no episodes of step 9') });
  });

  interface Recomputed {
    readonly notes: readonly string[];
    readonly steps: readonly { step: number; old: unknown; new: unknown }[];
    readonly largestChanges: readonly unknown[];
  }
});
