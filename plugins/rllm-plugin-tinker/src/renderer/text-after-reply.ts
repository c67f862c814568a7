import type { Conversation } from './chat-template.js';

/** Stands for a reply while a template is asked what it sets behind one. */
const STAND_IN = 'R3PLY5TANDS1N';

/**
 * What a template sets behind a reply, down to the end of the text. It is found with a stand-in for the reply, so that it does not matter
 * what the template makes of the reply itself.
 *
 * @param index  of the assistant's message.
 * @returns      undefined where the template does not write the reply, or refuses the stand-in.
 */
export function textAfterReply(
  { messages, tools }: Conversation,
  index: number,
  render: (conversation: Conversation) => string,
): string | undefined {
  const replaced = messages.with(index, { role: 'assistant', content: STAND_IN });
  let text: string;
  try {
    text = render({ messages: replaced, tools });
  } catch {
    return undefined;
  }
  const at = text.lastIndexOf(STAND_IN);
  return at === -1 ? undefined : text.slice(at + STAND_IN.length);
}
