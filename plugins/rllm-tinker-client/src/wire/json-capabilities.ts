import * as z from 'zod';
import type { Capabilities } from '../types/capabilities.js';
import { invalidResponse } from './invalid-response.js';

const BODY = z.object({
  supported_models: z.array(
    z.object({ model_name: z.string().nullish(), max_context_length: z.number().nullish() }),
  ),
});

/** Answer of `get_server_capabilities`. @throws TinkerError RESPONSE_INVALID */
export function decodeCapabilities(body: unknown): Capabilities['models'] {
  const result = BODY.safeParse(body);
  if (!result.success) throw invalidResponse('the capabilities', result.error);
  return result.data.supported_models.map(({ model_name, max_context_length }) => ({
    name: model_name ?? undefined,
    maxContextLength: max_context_length ?? undefined,
  }));
}
