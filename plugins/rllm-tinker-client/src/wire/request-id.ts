import type { HttpAnswer } from '../transport/http-answer.js';
import { invalidResponse } from './invalid-response.js';

/** The id that an accepted request is polled by. @throws TinkerError RESPONSE_INVALID */
export function requestIdOf(answer: HttpAnswer): string {
  const { request_id: id } = answer.json() as { readonly request_id?: unknown };
  if (typeof id !== 'string' || id === '') throw invalidResponse('an accepted request without request_id');
  return id;
}
