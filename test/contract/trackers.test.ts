import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type TrackerContractOptions, trackerContract } from '../../src/testing/index.js';
import { builtInTrackers, type TrackerDefinition, type TrackerRecord } from '../../src/tracking/index.js';

/** Writes lines, and hands what goes wrong to `fails`. */
function lines(fails: (error: unknown) => void): TrackerDefinition {
  return {
    name: 'lines',
    summary: 'lines in a file',
    create: ({ runDirectory }) => ({
      name: 'lines',
      log: ({ step }: TrackerRecord) => appendFile(join(runDirectory, 'lines'), `${step}\n`).catch(fails),
      finish: () => appendFile(join(runDirectory, 'lines'), 'end\n').catch(fails),
    }),
  };
}

const telling = lines((error) => {
  throw error;
});
const silent = lines(() => undefined);

async function failures(definition: TrackerDefinition, options: TrackerContractOptions): Promise<string[]> {
  const failed: string[] = [];
  for (const { name, run } of trackerContract(definition, options))
    await run()?.catch(() => failed.push(name));
  return failed;
}

describe.each(builtInTrackers.map((definition) => [definition.name, definition] as const))(
  'the tracker %s',
  (_name, definition) => {
    test.each(trackerContract(definition))('$name', ({ run }) => run());
  },
);

describe('the contract of trackers', () => {
  test('stands for what is right', async () => {
    expect(await failures(telling, { writes: true })).toEqual([]);
  });

  test('falls for one that keeps its errors to itself', async () => {
    expect(await failures(silent, { writes: true })).toEqual([
      'a folder that it cannot write to is an error, not silence',
    ]);
  });

  test('falls for one that writes and does not say so', async () => {
    expect(await failures(telling, {})).toEqual([
      'takes records of training and validation, and an end as completed',
      'takes records of training and validation, and an end as interrupted',
      'takes records of training and validation, and an end as failed',
    ]);
  });

  test('falls for one that goes by another name', async () => {
    expect(await failures({ ...telling, name: 'other' }, { writes: true })).toEqual([
      'has the name under which it is chosen',
    ]);
  });
});
