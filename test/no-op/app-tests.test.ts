import { expect, test } from 'vitest';
import { appTests } from './app-tests.js';

const { reaching, total } = appTests();

test('test files that can reach an app are found by what they import', () => {
  expect(reaching).toEqual(
    expect.arrayContaining([
      'plugins/rllm-plugin-estimators/test/plugin.test.ts', // by the package's own door
      'test/cli/plugin-commands.test.ts', // by a command line in its process
      'test/cli/train.test.ts', // by a program that it starts
      'test/container/create-app.test.ts', // directly
      'test/testing/test-app.test.ts', // by the seeded app
    ]),
  );
});

test('those that only take other names from the same folders are not among them', () => {
  expect(reaching).not.toContain('test/advantage/built-in.test.ts');
  expect(reaching).not.toContain('test/statistics.test.ts');
  // From rllm-sdk/testing, which also has the seeded app.
  expect(reaching).not.toContain('test/contract/trackers.test.ts');
  expect(reaching.length).toBeLessThan(total);
});
