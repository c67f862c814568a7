import type { ClientCore, SessionCore } from '../client-core.js';
import {
  detectEngine,
  type EngineProfile,
  HOSTED_PROFILE,
  TX_03_PROFILE,
  TX_PROFILE,
} from '../engine/index.js';
import { TinkerError } from '../errors.js';
import { QueueWatch } from '../futures/queue-watch.js';
import type { ClientLimits } from '../limits.js';
import type { ServiceClientOptions } from '../options.js';
import { SampleGate } from '../sampling/sample-gate.js';
import { Budget } from '../transport/budget.js';
import type { Credentials } from '../transport/credentials.js';
import { submit } from '../transport/submit.js';
import { invalidResponse } from '../wire/invalid-response.js';
import { jsonPost } from '../wire/json-post.js';
import { type ClientConfig, readClientConfig } from './client-config.js';
import { SDK_VERSION } from './sdk-version.js';

/** What opening a session needs besides the core. */
export interface SessionSettings extends ServiceClientOptions {
  readonly baseUrl: string;
  readonly credentials: Credentials;
}

/**
 * The handshake: the engine's wishes, a token if it wants one, and a session.
 *
 * @throws TinkerError KEY_MISSING or KEY_INVALID when the engine is known to need one, else what the requests throw.
 */
export async function openSession(
  core: ClientCore,
  settings: SessionSettings,
  signal: AbortSignal,
): Promise<SessionCore> {
  if (new URL(settings.baseUrl).hostname.endsWith('.thinkingmachines.dev'))
    checkKey(HOSTED_PROFILE, settings.credentials);
  const config = await askConfig(core, signal);
  if (config.wantsToken) await core.token.start();
  const sessionId = await createSession(core, settings, signal);
  const engine = engineOf(settings, config, sessionId);
  checkKey(engine, settings.credentials);
  return sessionCore(core, settings, config, engine, sessionId);
}

function checkKey(engine: EngineProfile, credentials: Credentials): void {
  if (engine.keyPrefixes === undefined) return;
  if (!credentials.present)
    throw new TinkerError('KEY_MISSING', `The engine ${engine.name} needs an API key.`);
  if (credentials.hasPrefix(engine.keyPrefixes)) return;
  throw new TinkerError('KEY_INVALID', `The API key does not begin with ${engine.keyPrefixes.join(' or ')}.`);
}

async function askConfig(core: ClientCore, signal: AbortSignal): Promise<ClientConfig> {
  const request = jsonPost('/client/config', { sdk_version: SDK_VERSION });
  return readClientConfig(await submit(core, request, signal, { passes: [404, 405] }));
}

async function createSession(
  core: ClientCore,
  settings: SessionSettings,
  signal: AbortSignal,
): Promise<string> {
  const request = jsonPost('/create_session', {
    tags: settings.tags ?? [],
    user_metadata: settings.userMetadata ?? {},
    sdk_version: SDK_VERSION,
    project_id: settings.projectId,
    type: 'create_session',
  });
  const answer = (await submit(core, request, signal)).json() as Readonly<Record<string, unknown>>;
  for (const [level, name] of [
    ['info', 'info_message'],
    ['warn', 'warning_message'],
    ['warn', 'error_message'],
  ] as const) {
    const message = answer[name];
    if (typeof message === 'string') core.logger[level](`the engine says: ${core.redact(message)}`);
  }
  const { session_id: id } = answer;
  if (typeof id !== 'string') throw invalidResponse('a session without session_id');
  return id;
}

function engineOf(
  { engine = 'auto', baseUrl }: SessionSettings,
  { known }: ClientConfig,
  sessionId: string,
): EngineProfile {
  if (typeof engine === 'object') return engine;
  if (engine === 'hosted') return HOSTED_PROFILE;
  if (engine === 'tx') return known ? TX_PROFILE : TX_03_PROFILE;
  return detectEngine({ baseUrl, hasClientConfig: known, sessionId });
}

function sessionCore(
  core: ClientCore,
  settings: SessionSettings,
  config: ClientConfig,
  engine: EngineProfile,
  sessionId: string,
): SessionCore {
  const { concurrentPolls, concurrentSamples, concurrentSampleSubmits } = engine;
  const limits: ClientLimits = {
    ...core.limits,
    ...{ concurrentPolls, concurrentSamples, concurrentSampleSubmits },
    ...config.limits,
    ...settings.limits,
  };
  let models = 0;
  let samplingSessions = 0;
  return {
    ...core,
    limits,
    engine,
    sessionId,
    wire: settings.wire === undefined || settings.wire === 'auto' ? engine.wire : settings.wire,
    compress: config.compress,
    polls: new Budget(limits.concurrentPolls),
    responseBytes: new Budget(limits.responseBytes),
    sampleGate: new SampleGate(limits, core.clock, core.logger),
    queueWatch: new QueueWatch(core.clock, core.logger, settings.onQueueState),
    nextModelSeqId: () => models++,
    nextSamplingSessionSeqId: () => samplingSessions++,
  };
}
