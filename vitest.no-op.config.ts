import { mergeConfig } from 'vitest/config';
import { appTests } from './test/no-op/app-tests.js';
import main from './vitest.config.js';

const { reaching, total } = appTests();
console.log(
  `With a plugin that does nothing in every app: ${reaching.length} of ${total} test files can reach one.`,
);

const { include: _all, exclude: _none, projects: _, ...test } = main.test ?? {};

/** The suite again, with a do-nothing plugin installed in every app. */
export default mergeConfig(
  { ...main, test },
  { test: { include: ['test/no-op/*.test.ts', ...reaching], setupFiles: ['./test/no-op/setup.ts'] } },
);
