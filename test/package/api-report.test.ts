import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from '../cli/project.js';

/** Names that an index exports, types included. */
function exportedNames(file: string): readonly string[] {
  const text = readFileSync(join(ROOT, file), 'utf8');
  return [...text.matchAll(/^export (?:type )?\{([^}]*)\}/gms)].flatMap(([, names = '']) =>
    names
      .split(',')
      .map((name) =>
        name
          .trim()
          .replace(/^type /, '')
          .replace(/^.* as /, ''),
      )
      .filter((name) => name !== ''),
  );
}

// `npm run check` compares the reports with the built declarations, line by line; this is what can be seen without a build.
test.each([
  ['src/index.ts', 'etc/rllm-sdk.api.md'],
  ['src/testing/index.ts', 'etc/rllm-sdk-testing.api.md'],
])('the names that %s exports are those of its report, %s', (index, report) => {
  const names = exportedNames(index);
  expect(names.length).toBeGreaterThan(10);
  const text = readFileSync(join(ROOT, report), 'utf8');
  const reported = text.matchAll(
    /^(?:export (?:abstract class|class|const|enum|function|interface|type) (\w+)|export \{ (\w+) \})/gm,
  );
  expect([...new Set([...reported].map(([, declared, passed]) => declared ?? passed))].sort()).toEqual(
    [...names].sort(),
  );
});

test('the check that every change goes through compares them', () => {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  expect(scripts.check).toContain('node etc/api-report.mjs');
  expect(scripts.check).not.toContain('--update');
});
