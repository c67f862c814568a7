import * as z from 'zod';
import type { ClientLimits } from '../limits.js';
import type { HttpAnswer } from '../transport/http-answer.js';

/** Flags of `client/config` that we honour; the rest, and those of the wrong type, are ignored. */
const CONFIG = z.object({
  pjwt_auth_enabled: z.boolean().catch(false),
  proto_compress_fwdbwd: z.boolean().catch(false),
  sample_dispatch_bytes_semaphore_size: z.number().positive().optional().catch(undefined),
  inflight_response_bytes_semaphore_size: z.number().positive().optional().catch(undefined),
  fwdbwd_max_chunk_len: z.number().positive().optional().catch(undefined),
  fwdbwd_max_chunk_bytes_count: z.number().positive().optional().catch(undefined),
  sample_max_concurrent_requests: z.number().positive().optional().catch(undefined),
});

/** What the engine wishes of its clients. */
export interface ClientConfig {
  /** False where the engine has no such route. */
  readonly known: boolean;
  readonly wantsToken: boolean;
  readonly compress: boolean;
  readonly limits: Partial<ClientLimits>;
}

/** Reads the answer of `client/config`; engines without it, or with something else there, wish nothing. */
export function readClientConfig(answer: HttpAnswer): ClientConfig {
  const known = answer.status === 200;
  const flags = CONFIG.safeParse(known ? answer.jsonOrNothing() : {}).data;
  return {
    known,
    wantsToken: flags?.pjwt_auth_enabled === true,
    compress: flags?.proto_compress_fwdbwd === true,
    limits: withoutUndefined({
      sampleSubmitBytes: flags?.sample_dispatch_bytes_semaphore_size,
      responseBytes: flags?.inflight_response_bytes_semaphore_size,
      chunkDatums: flags?.fwdbwd_max_chunk_len,
      chunkBytes: flags?.fwdbwd_max_chunk_bytes_count,
      concurrentSamples: flags?.sample_max_concurrent_requests,
    }),
  };
}

function withoutUndefined(
  limits: { readonly [K in keyof ClientLimits]?: number | undefined },
): Partial<ClientLimits> {
  return Object.fromEntries(Object.entries(limits).filter(([, value]) => value !== undefined));
}
