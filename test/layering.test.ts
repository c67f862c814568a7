import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));

/**
 * The floors of `src`, from the top. A folder imports from its own files and from floors below; folders of one floor stand
 * side by side and do not know each other. Files of `src` itself are the ground floor, except the public door.
 */
const FLOORS: readonly (readonly string[])[] = [
  ['cli', 'index'],
  ['testing'],
  ['container'],
  ['trainer', 'plugin-host', 'compare'],
  ['backend', 'data'],
  ['workflow'],
  ['advantage', 'grouping', 'reward'],
  ['filtering', 'rollout', 'tracking'],
  ['config'],
  ['types'],
  ['ground'],
];

interface Import {
  /** The file that imports, relative to the repository. */
  readonly file: string;
  readonly specifier: string;
  /** `import type` and `export type`, and lists in which every name is a type. */
  readonly isType: boolean;
}

describe('imports', () => {
  const files = sourcesIn('src');
  const imports = files.flatMap(importsOf);

  test('are found at all', () => {
    expect(files.length).toBeGreaterThan(50);
    expect(imports.length).toBeGreaterThan(files.length);
  });

  test('go down the floors, never up or sideways', () => {
    const floorOf = new Map(
      FLOORS.flatMap((folders, floor) => folders.map((folder) => [folder, floor] as const)),
    );
    const wrong = imports.filter(({ file, specifier }) => {
      if (!specifier.startsWith('.')) return false;
      const from = folderOf(file);
      const to = folderOf(relative(root, join(root, dirname(file), specifier)));
      if (from === to) return false;
      const [upper, lower] = [floorOf.get(from), floorOf.get(to)];
      return upper === undefined || lower === undefined || upper >= lower;
    });
    expect(wrong.map(({ file, specifier }) => `${file} imports ${specifier}`)).toEqual([]);
  });

  test('of src name no plugin', () => {
    const wrong = imports.filter(({ specifier }) => /(?:^|\/)plugins\/|^rllm-plugin/.test(specifier));
    expect(wrong).toEqual([]);
  });

  test('of tsyringe stand in container/ alone', () => {
    const users = new Set(
      imports.filter(({ specifier }) => specifier === 'tsyringe').map(({ file }) => folderOf(file)),
    );
    expect([...users]).toEqual(['container']);
  });

  test('of jiti and cosmiconfig are lazy, so that help is quick', () => {
    const wrong = imports.filter(
      ({ specifier, isType }) => ['jiti', 'cosmiconfig'].includes(specifier) && !isType,
    );
    expect(wrong.map(({ file }) => file)).toEqual([]);
  });
});

describe('the public door', () => {
  const door = readFileSync(join(root, 'src/index.ts'), 'utf8');

  test('loads reflect-metadata before anything else', () => {
    expect(door.split('\n')[0]).toBe("import 'reflect-metadata';");
  });

  test('exports by name only', () => {
    expect(door).not.toMatch(/export\s+\*|export\s+default/);
  });
});

describe('a plugin package', () => {
  const packages = readdirSync(join(root, 'plugins'), { withFileTypes: true }).filter((entry) =>
    entry.isDirectory(),
  );

  test('exists', () => {
    expect(packages.map(({ name }) => name)).toContain('rllm-plugin-estimators');
  });

  test.each(packages.map(({ name }) => name))(
    '%s imports the SDK by its name, its own files and its dependencies',
    (name) => {
      const manifest = JSON.parse(readFileSync(join(root, 'plugins', name, 'package.json'), 'utf8')) as {
        readonly name: string;
        readonly dependencies?: Readonly<Record<string, string>>;
        readonly peerDependencies?: Readonly<Record<string, string>>;
      };
      expect(manifest.name).toBe(name);
      const peers = Object.keys(manifest.peerDependencies ?? {});
      // What is no plugin is of use without the SDK, and so must not know it.
      expect(peers.includes('rllm-sdk')).toBe(name.startsWith('rllm-plugin-'));
      const allowed = [...Object.keys(manifest.dependencies ?? {}), ...peers];
      const wrong = sourcesIn(`plugins/${name}/src`)
        .flatMap(importsOf)
        .filter(({ file, specifier }) => {
          if (specifier.startsWith('node:')) return false;
          if (!specifier.startsWith('.'))
            return !allowed.some((one) => specifier === one || specifier.startsWith(`${one}/`));
          return relative(join('plugins', name, 'src'), join(dirname(file), specifier)).startsWith('..');
        });
      expect(wrong.map(({ file, specifier }) => `${file} imports ${specifier}`)).toEqual([]);
    },
  );
});

function sourcesIn(folder: string): readonly string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(folder, name));
}

/** Static imports and re-exports; a dynamic `import()` is a decision of its own and counts for none. */
function importsOf(file: string): readonly Import[] {
  const text = readFileSync(join(root, file), 'utf8');
  const found = text.matchAll(
    /^(?:import|export)\s+(?:(?<clause>[^'";]*?)\s+from\s+)?'(?<specifier>[^']+)';/gm,
  );
  return [...found].map(({ groups }) => {
    const { clause = '', specifier = '' } = groups ?? {};
    const names = /^\{(?<names>[^}]*)\}$/.exec(clause)?.groups?.['names']?.split(',') ?? [];
    const listed = names.map((name) => name.trim()).filter((name) => name !== '');
    const isType =
      clause.startsWith('type ') || (listed.length > 0 && listed.every((name) => name.startsWith('type ')));
    return { file, specifier, isType };
  });
}

/** The folder below `src` that a file belongs to; `index` for the public door, `ground` for other files of `src` itself. */
function folderOf(file: string): string {
  const [, folder = '', ...rest] = file.split(sep);
  if (rest.length > 0) return folder;
  return folder.startsWith('index.') ? 'index' : 'ground';
}
