/**
 * What a server's refusal says about the length of a prompt; `undefined` when it is about something else.
 *
 * `room` is how many tokens a completion may have: 0 when the prompt alone is too long, or the message does not tell. The forms
 * are those of OpenAI and older vLLM ("maximum context length is 4097 tokens. However, you requested 5000 tokens (1000 in the
 * messages, 4000 in the completion)"), newer vLLM ("maximum context length is 4096 tokens and your request has 1000 input
 * tokens"), and SGLang ("maximum context length of 4096 tokens. You requested a total of 5000 tokens: 1000 tokens from the input
 * messages and 4000 tokens for the completion").
 */
export function contextRoom(message: string): { readonly room: number } | undefined {
  if (!TOO_LONG.test(message)) return undefined;
  const limit = LIMIT.exec(message)?.[1];
  const used = USED.exec(message)
    ?.slice(1)
    .find((digits) => digits !== undefined);
  if (limit === undefined || used === undefined) return { room: 0 };
  return { room: Math.max(0, Number(limit) - Number(used)) };
}

const TOO_LONG =
  /context[ _]length|context[ _]window|context size|maximum model length|max_model_len|prompt is too long|input is too long|prompt too long/i;

const LIMIT = /context length (?:is|of) (\d+)/;

const USED =
  /(\d+) in the messages|(?:has|contains)(?: at least)? (\d+) input tokens|(\d+) tokens from the input/;
