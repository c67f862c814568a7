import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { PluginKind } from '../plugin-kinds.js';
import { type SdkManifest, scaffoldManifest } from './scaffold-manifest.js';
import type { ScaffoldNames } from './scaffold-names.js';

/** Beside `src` and `dist`, from which this file lies equally far. */
const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

/**
 * The files of a new plugin package, by path: those of `templates/package`, those of the kind, and a package.json. A README is that
 * of the kind and then that of all.
 *
 * Templates are the files of a plugin called `rllm-plugin-example`; npm leaves a `.gitignore` out of packages, so that there it has
 * no dot.
 */
export async function scaffoldFiles(
  names: ScaffoldNames,
  kind: PluginKind,
): Promise<ReadonlyMap<string, string>> {
  const files = new Map<string, string>();
  for (const template of [kind, 'package']) {
    for (const [path, text] of await filesBelow(join(ROOT, 'templates', template))) {
      const target =
        path === 'gitignore' ? '.gitignore' : path.replace('example.test', `${names.short}.test`);
      const before = files.get(target);
      files.set(target, before === undefined ? renamed(text, names) : `${before}\n${renamed(text, names)}`);
    }
  }
  const sdk = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as SdkManifest;
  files.set('package.json', `${JSON.stringify(scaffoldManifest(names, kind, sdk), null, 2)}\n`);
  return files;
}

function renamed(text: string, names: ScaffoldNames): string {
  return text.replace(
    /rllm-plugin-example|example_part|\bExample(?=[A-Z])|\bexample(?=[A-Z])/g,
    (placeholder) => {
      if (placeholder === 'rllm-plugin-example') return names.package;
      if (placeholder === 'example_part') return names.part;
      return placeholder === 'Example' ? names.pascal : names.camel;
    },
  );
}

async function filesBelow(folder: string): Promise<readonly (readonly [string, string])[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
  return Promise.all(
    paths.sort().map(async (path) => [path, await readFile(join(folder, path), 'utf8')] as const),
  );
}
