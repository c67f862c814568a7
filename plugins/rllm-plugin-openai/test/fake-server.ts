import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** A request as the server saw it. */
export interface Seen {
  readonly method: string;
  readonly path: string;
  readonly authorization: string | undefined;
  readonly body: Readonly<Record<string, unknown>>;
}

/** What the server does with a request: a value is answered as JSON, a function does as it likes. */
export type Reply = object | ((request: Seen, response: ServerResponse) => void);

export interface FakeServerOptions {
  /** `GET /models`; 404 when null. */
  readonly models?: readonly { readonly id: string; readonly owned_by?: string }[] | null;
  /** `POST /chat/completions`; one reply for all, or one per call and then the last for ever. */
  readonly chat?: Reply | readonly Reply[];
}

export interface FakeServer {
  readonly baseURL: string;
  readonly seen: readonly Seen[];
  /** The bodies of chat completions, in order. */
  chats(): readonly Seen['body'][];
  close(): Promise<void>;
}

/** An OpenAI-compatible server on a real socket; closed after the test. */
export async function fakeServer({
  models = [{ id: 'tiny' }],
  chat = completion('hello'),
}: FakeServerOptions = {}): Promise<FakeServer> {
  const seen: Seen[] = [];
  const replies = Array.isArray(chat) ? [...chat] : [chat];
  const server = createServer((message, response) => {
    void read(message).then((request) => {
      seen.push(request);
      if (request.path === '/v1/models' && models !== null) return answer(response, { data: models });
      if (request.path !== '/v1/chat/completions') return answer(response, { detail: 'Not Found' }, 404);
      const reply = replies.length > 1 ? replies.shift() : replies[0];
      if (typeof reply === 'function') reply(request, response);
      else answer(response, reply);
    });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const close = (): Promise<void> => stop(server);
  onTestFinished(close);
  return {
    baseURL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    seen,
    chats: () => seen.filter(({ path }) => path.endsWith('/chat/completions')).map(({ body }) => body),
    close,
  };
}

/** An answer of one choice. */
export function completion(content: string | null, choice: object = {}, root: object = {}): object {
  const { message, ...more } = choice as { readonly message?: object };
  return {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    choices: [
      { index: 0, finish_reason: 'stop', message: { role: 'assistant', content, ...message }, ...more },
    ],
    usage: { prompt_tokens: 3, completion_tokens: 2 },
    ...root,
  };
}

/** A failure in OpenAI's form. */
export function failure(status: number, message: string, headers: Record<string, string> = {}): Reply {
  return (_request, response) => answer(response, { error: { message, type: 'error' } }, status, headers);
}

export function answer(
  response: ServerResponse,
  body: unknown,
  status = 200,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(typeof body === 'string' ? body : JSON.stringify(body));
}

async function read(message: IncomingMessage): Promise<Seen> {
  let text = '';
  for await (const chunk of message.setEncoding('utf8')) text += chunk;
  return {
    method: message.method ?? '',
    path: message.url ?? '',
    authorization: message.headers.authorization,
    body: text === '' ? {} : (JSON.parse(text) as Record<string, unknown>),
  };
}

function stop(server: Server): Promise<void> {
  return new Promise((closed) => {
    server.close(() => closed());
    server.closeAllConnections();
  });
}
