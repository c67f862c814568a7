import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

export interface Tarball {
  readonly path: string;
  /** Paths of the files in it. */
  readonly files: readonly string[];
}

/** `npm pack`: the package of a folder as a tarball in another. */
export async function pack(packageFolder: string, destination: string): Promise<Tarball> {
  const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', destination], {
    cwd: packageFolder,
  });
  // What the package's own scripts print comes before the report.
  const [archive] = JSON.parse(stdout.slice(stdout.indexOf('[\n'))) as [
    { readonly filename: string; readonly files: readonly { readonly path: string }[] },
  ];
  return { path: join(destination, archive.filename), files: archive.files.map((file) => file.path) };
}
