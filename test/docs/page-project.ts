import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { project, ROOT } from '../cli/project.js';
import { snippetsOf } from './snippets.js';

const run = promisify(execFile);

export function pageText(page: string): string {
  return readFileSync(join(ROOT, page), 'utf8');
}

/** The files that a page shows, by name. */
export function pageFiles(page: string): Readonly<Record<string, string>> {
  const named = snippetsOf(pageText(page)).flatMap(({ name, text }) =>
    name === undefined ? [] : [[name, text]],
  );
  return Object.fromEntries(named);
}

/** A folder with every file that a page shows, and what a project with a plugin has installed. Removed after the test. */
export function pageProject(page: string): string {
  const folder = project(pageFiles(page));
  mkdirSync(join(folder, 'node_modules/@types'));
  for (const name of ['@types/node', 'vitest', 'zod']) {
    symlinkSync(join(ROOT, 'node_modules', name), join(folder, 'node_modules', name));
  }
  return folder;
}

/** What the compiler says of all TypeScript files of a folder, under strict; empty when all is well. */
export async function compile(folder: string): Promise<string> {
  const compilerOptions = {
    ...{ strict: true, noEmit: true, module: 'nodenext', target: 'es2022', skipLibCheck: true },
    ...{ experimentalDecorators: true, types: ['node'] },
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['**/*.ts'] }));
  return tool(folder, 'typescript/bin/tsc', ['-p', '.']);
}

/** What a tool of this repository writes to stdout, also when it fails. */
export async function tool(folder: string, path: string, args: readonly string[]): Promise<string> {
  const command = [join(ROOT, 'node_modules', path), ...args];
  const { stdout } = await run(process.execPath, command, { cwd: folder, maxBuffer: 1e8 }).catch(
    (failed: { readonly stdout: string }) => failed,
  );
  return stdout;
}
