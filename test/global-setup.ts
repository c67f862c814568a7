import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** The command-line and package tests run the built program, as a user does, so it is built first. */
export default function setup(): void {
  const root = fileURLToPath(new URL('..', import.meta.url));
  execFileSync(process.execPath, ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json'], {
    cwd: root,
    stdio: 'inherit',
  });
}
