import { join } from 'node:path';
import ts from 'typescript';
import { describe, expect, test } from 'vitest';
import { project } from '../cli/project.js';
import { rllm } from '../cli/rllm.js';
import { readNumbers } from '../trainer/tiny-run.js';
import { lastWeights } from './last-weights.js';
import { packageFiles } from './project.js';
import { TWO_PLAYERS, TWO_PLAYERS_FILES } from './two-players.js';

const DECLARED = `AdvEstimator('by_place', {
  options: { '~standard': { version: 1, vendor: 'own', validate: (value) => ({ value }) } },
})`;

/** With an option and, since it weighs by place, an order that matters. */
const FORMULA = `rewards.map((group) => {
  const mean = group.reduce((sum, reward) => sum + reward, 0) / group.length;
  return group.map((reward, place) => (options.scale * (reward - mean)) / (1 + place));
})`;

const DECORATED = `
import { AdvEstimator, definePlugin } from 'rllm-sdk';

@${DECLARED}
export class ByPlace {
  estimate({ rewards, options }) {
    return { advantages: ${FORMULA} };
  }
}

export default definePlugin({ name: 'places', apiVersion: 1, estimators: [ByPlace] });
`;

const FUNCTION = `
const byPlace = ${DECLARED}(({ rewards, options }) => ({ advantages: ${FORMULA} }));
const plugin = definePlugin({ name: 'places', apiVersion: 1, estimators: [byPlace] });
`;

function compiled(experimentalDecorators: boolean): string {
  const { outputText } = ts.transpileModule(DECORATED, {
    compilerOptions: {
      target: ts.ScriptTarget.ES2022,
      module: ts.ModuleKind.ESNext,
      experimentalDecorators,
      emitDecoratorMetadata: experimentalDecorators,
    },
  });
  return outputText;
}

const esm = (text: string) =>
  packageFiles('places', { type: 'module', main: 'index.js' }, { 'index.js': text });

const LEGACY = { use: 'places', files: esm(compiled(true)) };

const OTHER_WAYS = [
  { way: 'a TC39 decorator, compiled', use: 'places', files: esm(compiled(false)) },
  {
    way: 'a plain call',
    use: 'places',
    files: esm(`import { AdvEstimator, definePlugin } from 'rllm-sdk'; ${FUNCTION} export default plugin;`),
  },
  {
    way: 'CommonJS',
    use: 'places',
    files: packageFiles(
      'places',
      { main: 'index.cjs' },
      {
        'index.cjs': `const { AdvEstimator, definePlugin } = require('rllm-sdk'); ${FUNCTION} module.exports = plugin;`,
      },
    ),
  },
  { way: 'a local TypeScript file', use: './places.ts', files: { 'places.ts': DECORATED } },
];

interface Way {
  readonly use: string;
  readonly files: Readonly<Record<string, string | object>>;
  readonly estimator?: string;
}

/** Trains with an estimator, and gives the numbers of the run and the bytes of its weights. */
async function train({ use, files, estimator = 'by_place' }: Way) {
  const folder = project({
    ...TWO_PLAYERS_FILES,
    ...files,
    'rllmrc.json': {
      ...TWO_PLAYERS,
      plugins: ['./two-players.ts', use],
      algorithm: { ...TWO_PLAYERS.algorithm, estimator, estimatorOptions: { by_place: { scale: 2 } } },
    },
  });
  const { code, stderr } = await rllm(folder, ['train', '--quiet', '--run-dir', 'run']);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const run = join(folder, 'run');
  return { numbers: await readNumbers(run), weights: lastWeights(run) };
}

describe('an estimator', { timeout: 180_000 }, () => {
  let first: ReturnType<typeof train> | undefined;
  /** The run that the others are held against; made by the first test that asks. */
  const legacy = (): ReturnType<typeof train> => {
    first ??= train(LEGACY);
    return first;
  };

  test('trains two roles for three steps', async () => {
    const { numbers } = await legacy();
    expect(numbers.filter(({ kind }) => kind === 'train')).toHaveLength(3);
    for (const role of ['asker', 'guesser'])
      expect(numbers[0]?.metrics[`advantage/${role}/std`]).toBeGreaterThan(0);
  });

  test.each(OTHER_WAYS)('written as $way gives the same run, digit for digit', async ({ use, files }) => {
    const [expected, run] = [await legacy(), await train({ use, files })];
    expect(run.numbers).toEqual(expected.numbers);
    expect(run.weights.equals(expected.weights)).toBe(true);
  });

  test('of another formula gives another run', async () => {
    const [expected, other] = [await legacy(), await train({ ...LEGACY, estimator: 'reinforce' })];
    expect(other.weights.equals(expected.weights)).toBe(false);
  });
});
