import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { configDefaults, defineConfig, type Plugin } from 'vitest/config';

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

export default defineConfig({
  plugins: [standardDecorators],
  resolve: {
    alias: [
      { find: /^rllm-sdk$/, replacement: at('./src/index.ts') },
      { find: /^rllm-sdk\/testing$/, replacement: at('./src/testing/index.ts') },
    ],
  },
  test: {
    include: ['test/**/*.test.ts', 'plugins/*/test/**/*.test.ts'],
    // One needs an engine (npm run test:tinker), the other a plugin in every app (npm run test:no-op).
    exclude: [...configDefaults.exclude, 'test/tinker/**', 'test/no-op/**'],
    // One core fewer is the default, which halves a machine of two.
    maxWorkers: availableParallelism(),
    globalSetup: ['./test/global-setup.ts'],
    testTimeout: 30_000,
    coverage: { provider: 'v8', include: ['src/**/*.ts', 'plugins/*/src/**/*.ts'] },
  },
});
