import { configDefaults, defineConfig } from 'vitest/config';
import main from './vitest.config.js';

const { projects: _, ...test } = main.test ?? {};

/** The tests that need a real engine of the Tinker API: `npm run test:tinker`. */
export default defineConfig({
  ...main,
  test: {
    ...test,
    include: ['test/tinker/**/*.test.ts'],
    exclude: configDefaults.exclude,
    globalSetup: ['./test/global-setup.ts', './test/tinker/global-setup.ts'],
    // The engine uses every core.
    fileParallelism: false,
    testTimeout: 600_000,
    hookTimeout: 600_000,
  },
});
