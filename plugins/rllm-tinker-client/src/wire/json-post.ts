import type { HttpRequest } from '../transport/http-transport.js';

/** A request with a JSON body; fields that are undefined are left out, since strict engines refuse null. */
export function jsonPost(path: string, body: Readonly<Record<string, unknown>>): HttpRequest {
  return { method: 'POST', path, body: JSON.stringify(body) };
}
