import type { HttpAnswer } from './http-answer.js';

const LONGEST = 1000;

/**
 * What an error body says: `detail` as a text or as FastAPI's list of faults, else `error`, else `message`; undefined when it is no JSON
 * object that has one of them.
 */
export function errorDetail(answer: HttpAnswer): string | undefined {
  const body = answer.jsonOrNothing();
  if (typeof body !== 'object' || body === null) return undefined;
  const { detail, error, message } = body as Readonly<Record<string, unknown>>;
  const said = Array.isArray(detail) ? detail.map(faultText).join('; ') : (detail ?? error ?? message);
  return typeof said === 'string' && said !== '' ? said.slice(0, LONGEST) : undefined;
}

/** One fault of FastAPI's list, `body.data.0: Field required`. What was put in is left out. */
function faultText(fault: unknown): string {
  if (typeof fault !== 'object' || fault === null) return String(fault);
  const { loc, msg } = fault as Readonly<Record<string, unknown>>;
  return `${Array.isArray(loc) ? loc.join('.') : ''}: ${String(msg)}`;
}
