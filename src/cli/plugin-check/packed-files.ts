import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/**
 * Paths of what `npm pack` would put into a package, or null when npm cannot be asked. Nothing is written, no script of the
 * package runs, and nothing is sent.
 */
export async function packedFiles(folder: string): Promise<readonly string[] | null> {
  try {
    const { stdout } = await promisify(execFile)(
      'npm',
      ['pack', '--dry-run', '--json', '--ignore-scripts', '--offline', '--no-update-notifier'],
      // npm is a shell script on Windows.
      { cwd: folder, shell: process.platform === 'win32' },
    );
    return filesOf(JSON.parse(stdout));
  } catch {
    return null;
  }
}

/** npm before version 12 prints a list with one archive, later ones an object by name. */
function filesOf(printed: unknown): readonly string[] | null {
  const [archive] =
    typeof printed === 'object' && printed !== null ? (Object.values(printed) as unknown[]) : [];
  const files =
    typeof archive === 'object' && archive !== null ? (Reflect.get(archive, 'files') as unknown) : null;
  if (!Array.isArray(files)) return null;
  return files.flatMap((file: unknown) => {
    const path: unknown = typeof file === 'object' && file !== null ? Reflect.get(file, 'path') : undefined;
    return typeof path === 'string' ? [path] : [];
  });
}
