import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { ROOT } from './project.js';

export interface Outcome {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Running {
  readonly child: ChildProcessByStdio<null, Readable, Readable>;
  readonly outcome: Promise<Outcome>;
  /** Resolves once stdout or stderr holds what the pattern asks for. */
  until(pattern: RegExp): Promise<void>;
}

/** Starts the built program as a user would, in a folder, with pipes for its output. */
export function start(cwd: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Running {
  const { NO_COLOR: _no, FORCE_COLOR: _force, CI: _ci, DEBUG: _debug, ...inherited } = process.env;
  const child = spawn(process.execPath, [join(ROOT, 'dist/cli/main.js'), ...args], {
    cwd,
    env: { ...inherited, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const outcome = new Promise<Outcome>((resolve) => {
    child.on('close', (code, signal) => resolve({ code, signal, stdout, stderr }));
  });
  const until = (pattern: RegExp): Promise<void> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        if (pattern.test(stdout) || pattern.test(stderr)) resolve();
      };
      child.stdout.on('data', look);
      child.stderr.on('data', look);
      child.on('close', () => reject(new Error(`ended before ${pattern}:\n${stdout}\n${stderr}`)));
      look();
    });
  return { child, outcome, until };
}

export function rllm(cwd: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Outcome> {
  return start(cwd, args, env).outcome;
}

/** The events of `--json`; throws when a line of stdout is no JSON. */
export function eventsOf({ stdout }: Outcome): readonly Record<string, unknown>[] {
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}
