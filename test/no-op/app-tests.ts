import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type ValueImport, valueImports } from './value-imports.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const CREATE_APP = 'src/container/create-app.ts';
const SDK: Readonly<Record<string, string>> = {
  'rllm-sdk': 'src/index.ts',
  'rllm-sdk/testing': 'src/testing/index.ts',
};

export interface AppTests {
  /** Test files, relative to the repository, in which an app may be created. */
  readonly reaching: readonly string[];
  readonly total: number;
}

/** Tests that install packages anew, or start an engine, which takes minutes: the commands that they run, other tests run here. */
const ELSEWHERE = [join('test', 'package'), join('test', 'tinker')];

/**
 * The test files that can reach an app: by imports that lead to `createApp`, or because they start programs. It goes by imports alone,
 * name by name through the files that only re-export, so that a test of one function of a folder does not count for all of it.
 */
export function appTests(): AppTests {
  const files = ['test', ...readdirSync(join(ROOT, 'plugins')).map((name) => `plugins/${name}/test`)]
    .filter((folder) => existsSync(join(ROOT, folder)))
    .flatMap((folder) =>
      readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((name) =>
        join(folder, name),
      ),
    )
    .filter((file) => file.endsWith('.test.ts') && !file.startsWith(join('test', 'no-op')))
    .sort();
  const here = files.filter((file) => !ELSEWHERE.some((folder) => file.startsWith(folder)));
  return { reaching: here.filter(reachesAnApp), total: files.length };
}

const known = new Map<string, readonly ValueImport[]>();

function importsOf(file: string): readonly ValueImport[] {
  const found = known.get(file) ?? valueImports(file, readFileSync(join(ROOT, file), 'utf8'));
  known.set(file, found);
  return found;
}

function reachesAnApp(test: string): boolean {
  const seen = new Set<string>();
  const visit = (file: string, names: ValueImport['names']): boolean => {
    if (file === CREATE_APP) return true;
    const imports = importsOf(file);
    const isOwn = !file.startsWith('src/');
    return wanted(file, imports, names).some(({ specifier, names: taken }) => {
      if (specifier === 'node:child_process') return isOwn;
      const target = resolved(file, specifier);
      const key = `${target} ${taken === 'all' ? '*' : taken.join()}`;
      if (target === undefined || seen.has(key)) return false;
      seen.add(key);
      return visit(target, taken);
    });
  };
  return visit(test, 'all');
}

/** Of a file that only re-exports, what the names asked for need; of any other, everything. */
function wanted(
  file: string,
  imports: readonly ValueImport[],
  names: ValueImport['names'],
): readonly ValueImport[] {
  if (names === 'all' || !file.endsWith('/index.ts')) return imports;
  return imports.flatMap((one) => {
    const { exportedAs, names: given } = one;
    if (exportedAs === undefined || exportedAs === 'all' || given === 'all') return [one];
    const taken = given.filter((_, i) => names.includes(exportedAs[i] ?? ''));
    return taken.length === 0 ? [] : [{ ...one, names: taken }];
  });
}

/** The file of this repository that a module specifier names; none for packages and for what is not TypeScript. */
function resolved(from: string, specifier: string): string | undefined {
  const named = SDK[specifier];
  if (named !== undefined) return named;
  if (!specifier.startsWith('.')) return undefined;
  const file = join(dirname(from), specifier).replace(/\.js$/, '.ts');
  return file.endsWith('.ts') && existsSync(join(ROOT, file)) ? relative('.', file) : undefined;
}
