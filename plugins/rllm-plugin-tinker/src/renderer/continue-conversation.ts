import type { Message } from 'rllm-sdk';
import type { ChatTemplate, Conversation } from './chat-template.js';
import type { Remembered } from './conversation-memory.js';
import { textAfterReply } from './text-after-reply.js';
import { withoutToolCalls } from './tool-calls.js';

/**
 * The text to put behind a remembered conversation, so that it goes on as the template writes it: the end of the reply's turn, the
 * messages since, the beginning of the next reply. It begins with the text of the stop token, if the template writes one.
 *
 * The reply itself stays as it was sampled: for it the template's text may differ in white space and in how tool calls are spelled.
 *
 * @param text  what the template makes of the whole conversation.
 * @returns     undefined where the template now writes what was before in another way, for instance without the reply's thinking.
 */
export function textBehind(
  remembered: Remembered,
  conversation: Conversation,
  text: string,
  template: ChatTemplate,
): string | undefined {
  const { promptText, replyText } = remembered;
  const index = remembered.asked.length;
  if (!text.startsWith(promptText)) return undefined;
  const after = textAfterReply(conversation, index, (changed) => template.prompt(changed));
  if (after === undefined || !text.endsWith(after)) return undefined;
  const written = text.slice(promptText.length, text.length - after.length);
  const reply = conversation.messages[index];
  return isWrittenSo(written, replyText, reply) ? after : undefined;
}

/** Whether a template writes a reply as it was sampled, apart from white space and tool calls. */
function isWrittenSo(written: string, sampled: string, reply: Message | undefined): boolean {
  if (reply?.toolCalls === undefined) return letters(written) === letters(sampled);
  return letters(withoutToolCalls(written)) === letters(withoutToolCalls(sampled));
}

function letters(text: string): string {
  return text.replace(/\s+/g, '');
}
