import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import type { AdvantageBatch, AdvantageEstimates, EstimatorRegistry } from '../../src/advantage/index.js';
import { RunFolder } from '../../src/trainer/index.js';
import type { Json } from '../../src/types/index.js';
import { crashAt } from '../trainer/crash-points.js';
import { builtInRegistry, newRun, readNumbers, tempFolders, tiny } from '../trainer/tiny-run.js';

const folders = tempFolders();
afterAll(() => folders.clear());

/** Aᵢ = rᵢ − b, then b ← 0.9·b + 0.1·rᵢ: every reward seen so far counts. */
class MovingBaseline {
  #baseline = 0;

  estimate({ rewards }: AdvantageBatch): AdvantageEstimates {
    const advantages = rewards.map((own) =>
      own.map((reward) => {
        const advantage = reward - this.#baseline;
        this.#baseline = 0.9 * this.#baseline + 0.1 * reward;
        return advantage;
      }),
    );
    return { advantages };
  }

  stateDict(): Json {
    return { baseline: this.#baseline };
  }

  loadStateDict(state: Json): void {
    this.#baseline = (state as { readonly baseline: number }).baseline;
  }
}

function registry(): EstimatorRegistry {
  const own = builtInRegistry();
  own.override('moving_baseline', MovingBaseline, 'test');
  return own;
}

const config = {
  algorithm: { estimator: 'moving_baseline' },
  trainer: { totalBatches: 7, saveFreq: 2, testFreq: 0, valBeforeTrain: false },
};

// F 72
test('an estimator that remembers gives, after a kill and a resume, the advantages it would have given', async () => {
  const whole = join(await folders.make(), 'run');
  const counting = await crashAt(Number.POSITIVE_INFINITY, false);
  await tiny({ config, run: await newRun(whole, config), estimators: registry() }).trainer.fit();
  counting.restore();
  const expected = await readNumbers(whole);
  const means = expected.map(({ metrics }) => metrics['advantage/agent/mean']);
  expect(new Set(means).size).toBeGreaterThan(3);

  const stride = Math.max(1, Math.floor(counting.count / 6));
  for (let at = stride; at < counting.count; at += stride) {
    const directory = join(await folders.make(), 'run');
    const crash = await crashAt(at, false);
    const killed = await newRun(directory, config);
    tiny({ config, run: killed, estimators: registry() })
      .trainer.fit()
      .catch(() => undefined);
    await crash.happened;
    crash.restore();
    await killed.close();
    const isThere = await access(join(directory, 'manifest.json')).then(
      () => true,
      () => false,
    );
    const run = isThere ? await RunFolder.resume(directory) : await newRun(directory, config);
    await tiny({ config, run, estimators: registry() }).trainer.fit();
    expect(await readNumbers(directory), `killed at write ${at}`).toEqual(expected);
  }
});
