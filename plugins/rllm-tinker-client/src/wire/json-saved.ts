import * as z from 'zod';
import { samplerPath } from '../checkpoint-path.js';
import type { HttpAnswer } from '../transport/http-answer.js';
import type { SavedSampler, SavedState } from '../types/checkpoint.js';
import { invalidResponse } from './invalid-response.js';

const RESULT = z.object({ path: z.string().nullish(), sampling_session_id: z.string().nullish() });

/** @throws TinkerError RESPONSE_INVALID */
export function decodeSavedState(answer: HttpAnswer): SavedState {
  const { path } = resultOf(answer);
  if (typeof path !== 'string') throw invalidResponse('a saved state without a path');
  return { path };
}

/** @throws TinkerError RESPONSE_INVALID */
export function decodeSavedSampler(answer: HttpAnswer): SavedSampler {
  const { path, sampling_session_id: id } = resultOf(answer);
  if (typeof path === 'string') return { kind: 'named', path: samplerPath(path) };
  if (typeof id === 'string') return { kind: 'ephemeral', samplingSessionId: id };
  throw invalidResponse('saved sampler weights without a path and without sampling_session_id');
}

function resultOf(answer: HttpAnswer): z.infer<typeof RESULT> {
  const result = RESULT.safeParse(answer.json());
  if (!result.success) throw invalidResponse('a result of saving', result.error);
  return result.data;
}
