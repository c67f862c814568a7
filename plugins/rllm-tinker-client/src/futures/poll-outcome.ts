import { errorDetail } from '../transport/error-detail.js';
import type { HttpAnswer } from '../transport/http-answer.js';

/** What an answer to `retrieve_future` means. */
export type PollOutcome =
  | { readonly kind: 'done' }
  /** Not ready; the engine has held the poll open already, so ask again at once. */
  | { readonly kind: 'again'; readonly state: string | undefined; readonly reason: string | undefined }
  /** Ready, and so large that room for it should be made first. */
  | { readonly kind: 'large'; readonly bytes: number }
  | { readonly kind: 'failed'; readonly message: string; readonly category: string }
  /** The promise expired: submit the request anew. */
  | { readonly kind: 'lost' }
  /** The engine or something before it is in trouble: wait, then ask again. */
  | { readonly kind: 'trouble' }
  /** A proxy's empty 400: ask again, a few times. */
  | { readonly kind: 'empty-400' }
  | { readonly kind: 'refused' };

/**
 * Reads the status and, of JSON bodies, the fields that mark it as something else than a result.
 *
 * @param failedStatuses  statuses at which a `detail` in JSON means that the operation failed (tx; hosted says it with status 200)
 */
export function pollOutcome(answer: HttpAnswer, failedStatuses: readonly number[]): PollOutcome {
  const { status } = answer;
  if (status >= 200 && status < 300) return answer.isProtobuf ? { kind: 'done' } : outcomeOfBody(answer);
  if (status === 408) return { kind: 'again', ...queueStateOf(marksOf(answer)) };
  if (status === 410) return { kind: 'lost' };
  if (status === 400 && answer.bytes.length === 0) return { kind: 'empty-400' };
  if (failedStatuses.includes(status)) {
    const message = errorDetail(answer);
    if (message !== undefined) return { kind: 'failed', message, category: status < 500 ? 'user' : 'server' };
  }
  return status === 429 || status >= 500 ? { kind: 'trouble' } : { kind: 'refused' };
}

function outcomeOfBody(answer: HttpAnswer): PollOutcome {
  const marks = marksOf(answer);
  if (marks['type'] === 'try_again') return { kind: 'again', ...queueStateOf(marks) };
  if (marks['status'] === 'complete_metadata') {
    return { kind: 'large', bytes: Number(marks['response_payload_size'] ?? 0) };
  }
  if (typeof marks['error'] === 'string') {
    return { kind: 'failed', message: marks['error'], category: String(marks['category'] ?? 'unknown') };
  }
  return { kind: 'done' };
}

function queueStateOf(marks: Readonly<Record<string, unknown>>): {
  readonly state: string | undefined;
  readonly reason: string | undefined;
} {
  const { queue_state: state, queue_state_reason: reason } = marks;
  return {
    state: typeof state === 'string' ? state : undefined,
    reason: typeof reason === 'string' ? reason : undefined,
  };
}

function marksOf(answer: HttpAnswer): Readonly<Record<string, unknown>> {
  const body = answer.hoistedOrNothing()?.body;
  return typeof body === 'object' && body !== null ? (body as Readonly<Record<string, unknown>>) : {};
}
