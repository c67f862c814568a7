import type { Logger } from 'rllm-sdk';
import { type ClientLimits, ServiceClient } from 'rllm-tinker-client';
import { namedEngine } from './engine-capabilities.js';
import type { TinkerOptions } from './tinker-options.js';

/**
 * A client for the engine that the options name. Nothing is sent yet.
 *
 * @param limits  where the client's own do not do.
 */
export function serviceOf(
  options: TinkerOptions,
  logger: Logger,
  limits: Partial<ClientLimits> = {},
): ServiceClient {
  const { baseUrl, apiKeyEnv, engine, wire, samplingConcurrency } = options;
  const apiKey = process.env[apiKeyEnv];
  return new ServiceClient({
    ...(baseUrl === null ? {} : { baseUrl }),
    ...(apiKey === undefined ? {} : { apiKey }),
    engine: namedEngine(engine) ?? 'auto',
    wire,
    logger,
    tags: ['rllm-sdk'],
    limits: {
      ...limits,
      ...(samplingConcurrency === null ? {} : { concurrentSamples: samplingConcurrency }),
    },
  });
}

/** The address as a message names it. */
export function addressOf({ baseUrl }: TinkerOptions): string {
  return baseUrl ?? process.env['TINKER_BASE_URL'] ?? 'the hosted service';
}
