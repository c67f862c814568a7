import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { configDefaults, defineConfig, type Plugin } from 'vitest/config';
import { appTests } from './test/no-op/app-tests.js';

const ALL = ['test/**/*.test.ts', 'plugins/*/test/**/*.test.ts'];

/** They need an engine (npm run test:tinker), or a plugin in every app (npm run test:no-op). */
const ELSEWHERE = [...configDefaults.exclude, 'test/tinker/**', 'test/no-op/**'];

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** Oxc leaves TC39 decorators as they are and Node has none: plugins/ and TC39 fixtures go through the TypeScript compiler. */
const standardDecorators: Plugin = {
  name: 'standard-decorators',
  enforce: 'pre',
  transform: {
    filter: { id: /\/plugins\/[^/]+\/(?:src|test)\/.*\.ts$|\.tc39\.ts$/ },
    handler(code, id) {
      const out = ts.transpileModule(code, {
        fileName: id,
        compilerOptions: {
          target: ts.ScriptTarget.ES2022,
          module: ts.ModuleKind.ESNext,
          verbatimModuleSyntax: true,
          sourceMap: true,
        },
      });
      return { code: out.outputText, map: out.sourceMapText ?? null, moduleType: 'js' };
    },
  },
};

const DOCS = 'test/docs/*.test.ts';
const { reaching } = appTests();

export default defineConfig({
  plugins: [standardDecorators],
  resolve: {
    alias: [
      { find: /^rllm-sdk$/, replacement: at('./src/index.ts') },
      { find: /^rllm-sdk\/testing$/, replacement: at('./src/testing/index.ts') },
    ],
  },
  test: {
    exclude: ELSEWHERE,
    // One core fewer is the default, which halves a machine of two.
    maxWorkers: availableParallelism(),
    globalSetup: ['./test/global-setup.ts'],
    testTimeout: 30_000,
    projects: [
      {
        extends: true,
        test: {
          name: 'apps',
          include: [...reaching, 'test/package/*.test.ts'],
          exclude: [...ELSEWHERE, DOCS],
        },
      },
      { extends: true, test: { name: 'docs', include: [DOCS] } },
      // What makes no app and starts no program leaves nothing behind, and is quicker where modules are loaded once.
      {
        extends: true,
        test: {
          name: 'parts',
          isolate: false,
          include: ALL,
          exclude: [...ELSEWHERE, ...reaching, 'test/package/*', DOCS],
        },
      },
    ],
    coverage: { provider: 'v8', include: ['src/**/*.ts', 'plugins/*/src/**/*.ts'] },
  },
});
