import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const fixture = fileURLToPath(new URL('../fixtures/types/decorators.ts', import.meta.url));
const base = ts.readConfigFile(`${root}tsconfig.base.json`, ts.sys.readFile);
// Without the types of Node, which are most of what there is to read; the fixture needs none.
const options = {
  ...ts.parseJsonConfigFileContent(base.config, ts.sys, root).options,
  types: [],
  noEmit: true,
};

/** What the compiler says of the fixture; what it imports is the build's to check. */
function faults(decorators: ts.CompilerOptions): string[] {
  const program = ts.createProgram([fixture], { ...options, ...decorators });
  const source = program.getSourceFile(fixture);
  return [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)].map(
    ({ messageText, start, file }) => {
      const line = file === undefined ? 0 : file.getLineAndCharacterOfPosition(start ?? 0).line + 1;
      return `${line}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`;
    },
  );
}

test.each([
  {
    mode: 'legacy decorators with metadata',
    flags: { experimentalDecorators: true, emitDecoratorMetadata: true },
  },
  { mode: 'TC39 decorators', flags: { experimentalDecorators: false } },
])('under $mode the right code compiles and the wrong does not', { timeout: 60_000 }, ({ flags }) => {
  expect(faults(flags)).toEqual([]);
});
