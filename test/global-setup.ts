import { execSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** The command-line, worker and package tests run the built program, as a user does, so it is built first. */
export default function setup(): void {
  execSync('npm run --silent build', {
    cwd: fileURLToPath(new URL('..', import.meta.url)),
    stdio: 'inherit',
  });
}
