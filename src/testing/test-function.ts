/** What registers a test: `test` or `it` of vitest, node:test, jest, mocha. */
export type TestFunction = (name: string, run: () => void | Promise<void>) => unknown;

/** How the suites of this module reach the test runner. */
export interface TestRunner {
  /**
   * By default that of the runner at work: vitest, with or without its globals, or a global `test` or `it` (jest, mocha). Under
   * node:test pass it: `import test from 'node:test'`.
   */
  readonly test?: TestFunction;
}

/**
 * The runner's `test`, without importing a runner: a plugin's test needs one import, and no runner is a dependency of the SDK.
 *
 * @throws Error when there is none and none is given.
 */
export function testFunction({ test }: TestRunner): TestFunction {
  const found = test ?? globalTest() ?? vitestTest();
  if (found === undefined) {
    throw new Error(
      "No test runner is at work that can be found; pass its function: { test }, as in import test from 'node:test'.",
    );
  }
  return found;
}

function globalTest(): TestFunction | undefined {
  const { test, it } = globalThis as { readonly test?: unknown; readonly it?: unknown };
  return [test, it].find(isTestFunction);
}

/** Vitest puts its module there in every worker, for `import.meta.vitest`. */
function vitestTest(): TestFunction | undefined {
  const { __vitest_index__: vitest } = globalThis as {
    readonly __vitest_index__?: { readonly test?: unknown };
  };
  return isTestFunction(vitest?.test) ? vitest.test : undefined;
}

function isTestFunction(value: unknown): value is TestFunction {
  return typeof value === 'function';
}
