import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';

/** A folder with the files given, as a user's project; removed when the test ends. Objects are written as JSON. */
export async function createProject(files: Readonly<Record<string, string | object>>): Promise<string> {
  const directory = await realpath(await mkdtemp(join(tmpdir(), 'rllm-project-')));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  for (const [name, content] of Object.entries(files)) {
    const path = join(directory, name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content));
  }
  return directory;
}

/** The files of an installed package. */
export function packageFiles(
  name: string,
  manifest: object,
  files: Readonly<Record<string, string>>,
): Readonly<Record<string, string | object>> {
  const folder = `node_modules/${name}`;
  const entries = Object.entries(files).map(([file, content]) => [`${folder}/${file}`, content] as const);
  return {
    [`${folder}/package.json`]: { name, version: '1.2.3', ...manifest },
    ...Object.fromEntries(entries),
  };
}
