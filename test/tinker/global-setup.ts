import { execFile } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { TestProject } from 'vitest/node';
import { pythonVenv } from '../python-venv.js';
import { freePort, TinkerServer, type TinkerServerOptions } from './tinker-server.js';

declare module 'vitest' {
  interface ProvidedContext {
    /** What the server that all files share was started with; a file may start it anew, and each begins with models of its own. */
    server: TinkerServerOptions;
    /** Address of the shared server. */
    url: string;
  }
}

/** Makes a tiny model and starts one server for all files, which `TEST_TINKER_SERVER=skyrl` chooses; tx without it. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const kind = process.env['TEST_TINKER_SERVER'] === 'skyrl' ? 'skyrl' : 'tx';
  const python = await pythonVenv(kind === 'skyrl' ? 'skyrl' : 'tinker');
  const model = join(tmpdir(), 'tiny-qwen3');
  const maker = fileURLToPath(new URL('make-tiny-model.py', import.meta.url));
  await promisify(execFile)(python, [maker, model]);
  const folder = join(tmpdir(), 'server');
  const options: TinkerServerOptions = { kind, python, model, folder, port: await freePort() };
  const server = new TinkerServer(options);
  await server.start();
  project.provide('server', options);
  project.provide('url', server.url);
  return () => server.stop();
}
