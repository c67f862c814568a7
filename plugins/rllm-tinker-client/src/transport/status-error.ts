import { TinkerError, type TinkerErrorCode } from '../errors.js';
import { errorDetail } from './error-detail.js';
import type { HttpAnswer } from './http-answer.js';

const CODES: Readonly<Record<number, TinkerErrorCode>> = {
  401: 'UNAUTHORIZED',
  402: 'BILLING',
  403: 'UNAUTHORIZED',
  404: 'NOT_FOUND',
  409: 'CONFLICT',
};

/** The error that an answer other than 2xx amounts to. `redact` takes secrets out of what the engine says. */
export function statusError(path: string, answer: HttpAnswer, redact: (text: string) => string): TinkerError {
  const { status } = answer;
  const passing = status === 408 || status === 425 || status === 429 || status >= 500;
  const code = CODES[status] ?? (passing ? 'UNREACHABLE' : 'REJECTED');
  const detail = errorDetail(answer);
  const said = detail === undefined ? '' : `: ${redact(detail)}`;
  return new TinkerError(code, `${path} was answered with status ${status}${said}`, {
    status,
    retryable: passing,
  });
}
