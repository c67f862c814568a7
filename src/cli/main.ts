#!/usr/bin/env node
import { runLine } from './run-line.js';
import type { Output } from './screen.js';
import { tellUnhandled, unhandledError } from './unhandled.js';

process.on('uncaughtException', (thrown) => {
  if (!tellUnhandled(thrown)) void die(thrown);
});
for (const stream of [process.stdout, process.stderr]) stream.on('error', ignoreClosedPipe);
const exitCode = await runLine(process.argv);
await Promise.all([flushed(process.stdout), flushed(process.stderr)]);
// Agents are the user's code: a timer or a socket that one of them left open must not keep a finished run alive.
process.exit(exitCode);

/** For what was thrown where nobody waits for it, in a command that cannot go on without it. */
async function die(thrown: unknown): Promise<never> {
  const { reportFailure } = await import('./report-failure.js');
  const has = (flag: string): boolean => process.argv.includes(flag);
  const options = { verbose: has('--verbose'), color: !has('--no-color'), json: has('--json') };
  process.exit(reportFailure(unhandledError(thrown), options));
}

/** `rllm train | head` closes the pipe early: the run is worth more than its log, so it goes on unread. */
function ignoreClosedPipe(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error;
}

function flushed(stream: Output): Promise<void> {
  return new Promise((resolve) => stream.write('', () => resolve()));
}
