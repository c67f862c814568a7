#!/usr/bin/env node
import type { RllmError } from '../errors.js';
import { lineOptions } from './line-options.js';
import { runLine } from './run-line.js';
import type { Output } from './screen.js';
import { neverSettledError, tellUnhandled, unhandledError } from './unhandled.js';

process.on('uncaughtException', (thrown) => {
  if (!tellUnhandled(thrown)) void end(unhandledError(thrown));
});
for (const stream of [process.stdout, process.stderr]) stream.on('error', ignoreNoReader);
process.once('beforeExit', nothingLeft);
const exitCode = await runLine(process.argv);
process.off('beforeExit', nothingLeft);
await Promise.all([flushed(process.stdout), flushed(process.stderr)]);
// Agents are the user's code: a timer or a socket that one of them left open must not keep a finished run alive.
process.exit(exitCode);

/** For a command that cannot go on. */
async function end(error: RllmError): Promise<never> {
  const { reportFailure } = await import('./report-failure.js');
  process.exit(reportFailure(error, lineOptions(process.argv)));
}

/** Node would end here, with a code of its own and, but for a warning, without a word. */
function nothingLeft(): void {
  void end(neverSettledError());
}

/** `rllm train | head` closes the pipe early, and a terminal may end (EIO): the run is worth more than its log, so it goes on unread. */
function ignoreNoReader(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE' && error.code !== 'EIO') throw error;
}

function flushed(stream: Output): Promise<void> {
  return new Promise((resolve) => stream.write('', () => resolve()));
}
