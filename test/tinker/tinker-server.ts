import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, open, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

/** What a server is started with. */
export interface TinkerServerOptions {
  /** `tx` is the package `skyrl-tx` 0.3.0, `skyrl` its successor. */
  readonly kind: 'tx' | 'skyrl';
  /** Of an environment that has the package. */
  readonly python: string;
  /** Folder of the base model. */
  readonly model: string;
  /** Holds the database, the checkpoints and the log; a later server on the same folder goes on with them. */
  readonly folder: string;
  readonly port: number;
}

/** Fixed shapes keep JAX from compiling anew, which takes seconds. */
const BACKEND = {
  max_lora_adapters: 16,
  max_lora_rank: 8,
  sample_max_num_sequences: 32,
  train_micro_batch_size: 32,
};

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/**
 * SkyRL's server of the Tinker API on loopback, with SQLite: a process of its own, which starts the engine as another.
 *
 * Its process id stands in its folder, so that any process of the tests can end it, and start it again.
 */
export class TinkerServer {
  readonly url: string;
  readonly #options: TinkerServerOptions;

  constructor(options: TinkerServerOptions) {
    this.#options = options;
    this.url = `http://127.0.0.1:${options.port}`;
  }

  /** Starts the server and waits until it answers; its engine takes some seconds more to do the first work. */
  async start(): Promise<void> {
    const { kind, folder } = this.#options;
    await mkdir(folder, { recursive: true });
    const logFile = join(folder, 'server.log');
    const started = await this.#spawn(logFile);
    for (let tries = 0; tries < 600; tries++) {
      if (started.exitCode !== null) break;
      if (await isHealthy(this.url)) return;
      await delay(200);
    }
    await this.stop();
    throw new Error(`The ${kind} server did not start:\n${(await readFile(logFile, 'utf8')).slice(-4000)}`);
  }

  /** Ends server and engine at once, as a crash would, and starts them again on the same folder and port. */
  async restart(): Promise<void> {
    await this.stop();
    await this.start();
  }

  /** At once: a server that is asked to end waits for polls that are open. */
  async stop(): Promise<void> {
    try {
      process.kill(-Number(await readFile(this.#pidFile, 'utf8')), 'SIGKILL');
    } catch (thrown) {
      const { code } = thrown as NodeJS.ErrnoException;
      if (code !== 'ENOENT' && code !== 'ESRCH') throw thrown;
    }
    await rm(this.#pidFile, { force: true });
    while (await isHealthy(this.url)) await delay(50);
  }

  get #pidFile(): string {
    return join(this.#options.folder, 'server.pid');
  }

  async #spawn(logFile: string): Promise<ChildProcess> {
    const { kind, python, model, folder, port } = this.#options;
    const log = await open(logFile, 'a');
    const words = [
      ...['--port', String(port)],
      ...['--base-model', model],
      ...['--backend', 'jax'],
      ...['--backend-config', JSON.stringify(BACKEND)],
      ...['--database-url', `sqlite:///${join(folder, 'tinker.db')}`],
      ...['--checkpoints-base', join(folder, 'checkpoints')],
    ];
    const started = spawn(python, [at(`launch-${kind}.py`), ...words], {
      // A group of its own, so that the engine ends with the server however that ends.
      detached: true,
      stdio: ['ignore', log.fd, log.fd],
      env: {
        ...process.env,
        HF_HUB_OFFLINE: '1',
        JAX_PLATFORMS: 'cpu',
        // What one server has compiled, the next need not, nor one of a later run: it is half of the time that the tests take.
        JAX_COMPILATION_CACHE_DIR: join(python, '../../jax-cache'),
        JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS: '0',
        JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES: '-1',
        ...(kind === 'skyrl' ? { PYTHONPATH: at('skyrl-311') } : {}),
      },
    });
    await log.close();
    // A process that started it may end before it.
    started.unref();
    await writeFile(this.#pidFile, String(started.pid));
    return started;
  }
}

async function isHealthy(url: string): Promise<boolean> {
  try {
    return (await fetch(`${url}/api/v1/healthz`)).ok;
  } catch {
    return false;
  }
}

/** The system gives a port that nobody listens on; the server opens it a moment later. */
export async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  probe.close();
  await once(probe, 'close');
  if (address === null || typeof address === 'string') throw new Error('There is no free port.');
  return address.port;
}
