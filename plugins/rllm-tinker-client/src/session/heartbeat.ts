import type { ClientCore } from '../client-core.js';
import { messageOf } from '../errors.js';
import { jsonPost } from '../wire/json-post.js';

const TIMEOUT_MS = 10_000;

/**
 * Tells the engine at intervals that the session lives, and warns when it has not answered for long. A failed heartbeat is logged and
 * never ends anything.
 */
export class Heartbeat {
  readonly #core: ClientCore;
  readonly #sessionId: string;
  #lastAnswer: number;
  #isWarned = false;
  #isStopped = false;
  #cancel: () => void = () => {};

  constructor(core: ClientCore, sessionId: string) {
    this.#core = core;
    this.#sessionId = sessionId;
    this.#lastAnswer = core.clock.now();
    this.#schedule();
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancel();
  }

  #schedule(): void {
    if (this.#isStopped) return;
    this.#cancel = this.#core.clock.after(this.#core.limits.heartbeatMs, () => {
      void this.#beat().finally(() => this.#schedule());
    });
  }

  async #beat(): Promise<void> {
    const { clock, logger, limits, transport, token, lifetime } = this.#core;
    const request = jsonPost('/session_heartbeat', {
      session_id: this.#sessionId,
      type: 'session_heartbeat',
    });
    try {
      const { status } = await lifetime.within(undefined, async ({ signal }) => {
        await token.refresh();
        return transport.send(request, TIMEOUT_MS, signal);
      });
      if (status === 200) {
        this.#lastAnswer = clock.now();
        this.#isWarned = false;
        return;
      }
      logger.debug(`a heartbeat was answered with status ${status}`);
    } catch (failure) {
      if (this.#isStopped) return;
      logger.debug(`a heartbeat failed: ${messageOf(failure)}`);
    }
    const silentMs = clock.now() - this.#lastAnswer;
    if (silentMs < limits.heartbeatWarningMs || this.#isWarned) return;
    this.#isWarned = true;
    logger.warn(
      `the engine has answered no heartbeat for ${Math.round(silentMs / 1000)} s; it may end the session`,
    );
  }
}
