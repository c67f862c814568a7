import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { describe, expect, test } from 'vitest';
import { createProject } from '../plugin-host/project.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const base = ts.readConfigFile(`${root}tsconfig.base.json`, ts.sys.readFile);
const options: ts.CompilerOptions = {
  ...ts.parseJsonConfigFileContent(base.config, ts.sys, root).options,
  experimentalDecorators: true,
  noEmit: true,
};

/** What the compiler says of one file; what it imports is the build's to check. */
function faults(file: string, more: ts.CompilerOptions = {}): readonly string[] {
  const program = ts.createProgram([file], { ...options, ...more });
  const source = program.getSourceFile(file);
  return [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)].map(
    (fault) => {
      const line = source?.getLineAndCharacterOfPosition(fault.start ?? 0).line ?? 0;
      return `${line + 1}: ${ts.flattenDiagnosticMessageText(fault.messageText, ' ')}`;
    },
  );
}

/** The texts that an editor offers at each mark ¦ of a file. */
function completions(file: string, marked: string): readonly (readonly string[])[] {
  const parts = marked.split('¦');
  const text = parts.join('');
  const marks = parts.slice(0, -1).map((_, i) => parts.slice(0, i + 1).join('').length);
  const host: ts.LanguageServiceHost = {
    getCompilationSettings: () => options,
    getScriptFileNames: () => [file],
    getScriptVersion: () => '1',
    getScriptSnapshot: (name) => {
      const content = name === file ? text : ts.sys.readFile(name);
      return content === undefined ? undefined : ts.ScriptSnapshot.fromString(content);
    },
    getCurrentDirectory: () => root,
    getDefaultLibFileName: ts.getDefaultLibFilePath,
    fileExists: (name) => name === file || ts.sys.fileExists(name),
    readFile: ts.sys.readFile,
    readDirectory: ts.sys.readDirectory,
    directoryExists: ts.sys.directoryExists,
  };
  const service = ts.createLanguageService(host);
  return marks.map((mark) => {
    const found = service.getCompletionsAtPosition(file, mark, {});
    return (found?.entries ?? []).map(({ name }) => name);
  });
}

describe('defineConfig', () => {
  test('takes what names and options of plugins allow, and refuses the rest', { timeout: 120_000 }, () => {
    expect(faults(join(root, 'test/fixtures/types/config-names.ts'))).toEqual([]);
  });

  test('lets an editor complete the names that are known', { timeout: 120_000 }, () => {
    const file = join(root, 'test/fixtures/types/completed.ts');
    const text = `
      import { defineConfig } from '../../../src/index.js';
      defineConfig({ algorithm: { estimator: '¦' } });
      defineConfig({ data: { train: { use: '¦' } } });
      defineConfig({ reward: { functions: [{ use: '¦' }] } });`;
    const [estimators, datasets, rewards] = completions(file, text);
    expect(estimators).toEqual(expect.arrayContaining(['grpo', 'rloo']));
    expect(datasets).toContain('file');
    expect(rewards).toEqual(expect.arrayContaining(['workflow', 'length', 'solved']));
  });
});

test('a package merges its options into the built SDK, for whoever imports it', {
  timeout: 120_000,
}, async () => {
  const project = await createProject({
    'node_modules/plug/package.json': {
      name: 'plug',
      version: '1.0.0',
      type: 'module',
      exports: { '.': { types: './index.d.ts', default: './index.js' } },
    },
    'node_modules/plug/index.d.ts': `
      import type { OptionsGiven } from 'rllm-sdk';
      export interface OpoOptions { readonly k: number }
      declare module 'rllm-sdk' { interface EstimatorOptionsMap { merged: OptionsGiven<OpoOptions> } }`,
    'rllm.config.mts': `
      import { defineConfig } from 'rllm-sdk';
      import type {} from 'plug';
      export default defineConfig({ algorithm: { estimatorOptions: { merged: { k: 1 } } } });
      defineConfig({ algorithm: { estimatorOptions: { merged: { k: 'x' } } } });`,
  });
  symlinkSync(root, join(project, 'node_modules/rllm-sdk'));
  expect(faults(join(project, 'rllm.config.mts'), { types: [] })).toEqual([
    "5: Type 'string' is not assignable to type 'number'.",
  ]);
});
