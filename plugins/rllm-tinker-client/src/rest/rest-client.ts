import { parseCheckpointPath } from '../checkpoint-path.js';
import type { ClientCore, SessionCore } from '../client-core.js';
import { TinkerError } from '../errors.js';
import type { HttpAnswer } from '../transport/http-answer.js';
import type { HttpRequest } from '../transport/http-transport.js';
import { submit } from '../transport/submit.js';
import type { CallOptions } from '../types/call-options.js';
import type { Checkpoint, TrainingRun } from '../types/checkpoint.js';
import type { WeightsInfo } from '../types/model-info.js';
import { decodeCheckpoints, decodeTrainingRun, decodeTrainingRuns } from '../wire/json-listing.js';
import { decodeWeightsInfo } from '../wire/json-model-info.js';
import { jsonPost } from '../wire/json-post.js';

/** A part of a listing. */
export interface Page extends CallOptions {
  /** Default 20. */
  readonly limit?: number;
  /** Default 0. */
  readonly offset?: number;
}

/** Where a checkpoint can be had. */
export interface Archive {
  readonly url: string;
  /** When the address stops working, as the engine says it. */
  readonly expires: string | undefined;
}

/** An archive that is still being built: how often we ask, and how long between. */
const ARCHIVE_TRIES = 6;
const ARCHIVE_WAIT_MS = 30_000;

/** The engine's books: runs and checkpoints. */
export class RestClient {
  readonly #session: () => Promise<SessionCore>;
  readonly #core: ClientCore;

  /** @internal made by `ServiceClient.rest` */
  constructor(core: ClientCore, session: () => Promise<SessionCore>) {
    this.#core = core;
    this.#session = session;
  }

  async trainingRuns(page: Page = {}): Promise<readonly TrainingRun[]> {
    return decodeTrainingRuns((await this.#get(`/training_runs?${query(page)}`, page)).json());
  }

  async trainingRun(id: string, options: CallOptions = {}): Promise<TrainingRun> {
    return decodeTrainingRun((await this.#get(`/training_runs/${encodeURIComponent(id)}`, options)).json());
  }

  /** All finished checkpoints of one run. */
  async checkpoints(runId: string, options: CallOptions = {}): Promise<readonly Checkpoint[]> {
    const path = `/training_runs/${encodeURIComponent(runId)}/checkpoints`;
    return decodeCheckpoints((await this.#get(path, options)).json());
  }

  /** All checkpoints of the account. @throws TinkerError UNSUPPORTED where the engine lists those of one run only */
  async allCheckpoints(page: Page = {}): Promise<readonly Checkpoint[]> {
    return this.#core.lifetime.within(page.signal, async ({ signal }) => {
      const session = await this.#session();
      if (!session.engine.listsAllCheckpoints) {
        throw new TinkerError(
          'UNSUPPORTED',
          `The engine ${session.engine.name} lists the checkpoints of one run only.`,
        );
      }
      const request = { method: 'GET', path: `/checkpoints?${query(page)}` } as const;
      return decodeCheckpoints((await submit(session, request, signal)).json());
    });
  }

  /** @param path  of training state, `tinker://RUN/weights/NAME` */
  async weightsInfo(path: string, options: CallOptions = {}): Promise<WeightsInfo> {
    parseCheckpointPath(path);
    const answer = await this.#send(jsonPost('/weights_info', { tinker_path: path }), options);
    return decodeWeightsInfo(answer.json());
  }

  async deleteCheckpoint(path: string, options: CallOptions = {}): Promise<void> {
    await this.#send({ method: 'DELETE', path: checkpointRoute(path) }, options);
  }

  /** Where a checkpoint can be downloaded as a tar.gz file for a while. Waits up to 3 min for the engine to build it. */
  async archiveUrl(path: string, options: CallOptions = {}): Promise<Archive> {
    return this.#core.lifetime.within(options.signal, async ({ signal }) => {
      const { engine } = await this.#session();
      const route = engine.bareArchiveNames ? bareRoute(path) : checkpointRoute(path);
      const request = { method: 'GET', path: `${route}/archive` } as const;
      for (let attempt = 1; ; attempt++) {
        const passes = attempt < ARCHIVE_TRIES ? [503] : [];
        const answer = await submit(this.#core, request, signal, { passes });
        if (answer.status !== 503) return archiveOf(answer, this.#core);
        await this.#core.clock.sleep(ARCHIVE_WAIT_MS, signal);
      }
    });
  }

  #get(path: string, options: CallOptions): Promise<HttpAnswer> {
    return this.#send({ method: 'GET', path }, options);
  }

  #send(request: HttpRequest, options: CallOptions): Promise<HttpAnswer> {
    return this.#core.lifetime.within(options.signal, async ({ signal }) => {
      // The session's start decides how we show who we are.
      await this.#session();
      return submit(this.#core, request, signal);
    });
  }
}

function query({ limit = 20, offset = 0 }: Page): string {
  return new URLSearchParams({ limit: String(limit), offset: String(offset) }).toString();
}

function checkpointRoute(path: string): string {
  const { runId, kind, name } = parseCheckpointPath(path);
  return `/training_runs/${encodeURIComponent(runId)}/checkpoints/${kind}/${encodeURIComponent(name)}`;
}

/** tx knows archives of sampler weights only, by name alone. */
function bareRoute(path: string): string {
  const { runId, kind, name } = parseCheckpointPath(path);
  if (kind !== 'sampler_weights') {
    throw new TinkerError('UNSUPPORTED', `The engine has archives of sampler weights only, not of ${path}.`);
  }
  return `/training_runs/${encodeURIComponent(runId)}/checkpoints/${encodeURIComponent(name)}`;
}

function archiveOf(answer: HttpAnswer, core: ClientCore): Archive {
  if (answer.status >= 300) {
    const location = answer.headers.get('location');
    if (location === null)
      throw new TinkerError('RESPONSE_INVALID', 'A redirect to an archive says no location.');
    return {
      url: new URL(location, core.transport.root).href,
      expires: answer.headers.get('expires') ?? undefined,
    };
  }
  const { url, expires } = answer.json() as { readonly url?: unknown; readonly expires?: unknown };
  if (typeof url !== 'string') throw new TinkerError('RESPONSE_INVALID', 'An archive has no url.');
  return { url, expires: typeof expires === 'string' ? expires : undefined };
}
