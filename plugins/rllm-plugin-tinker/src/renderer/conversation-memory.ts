import { isDeepStrictEqual } from 'node:util';
import type { Message } from 'rllm-sdk';

/** A conversation up to a reply of the model, with the ids that the model saw and sampled. */
export interface Remembered {
  /** The messages that were sent. */
  readonly asked: readonly Message[];
  /** The reply as the caller got it. */
  readonly reply: Message;
  /** The reply's whole text, thinking and tool calls as they were sampled; without what stopped it. */
  readonly replyText: string;
  /** What the template made of `asked`, down to where the reply begins. */
  readonly promptText: string;
  /** Ids of prompt and reply. */
  readonly ids: Int32Array;
  /** The stop token that ended the reply; undefined when it was cut short or ended by a text. */
  readonly stopId: number | undefined;
}

/** Conversations kept per stream of calls: enough to go back a few turns and take another way. */
const PER_STREAM = 4;

/**
 * The ids of conversations that go on, since a caller comes back with messages alone and ids cannot be got back from text.
 *
 * What is remembered belongs to one stream of calls (one agent of one rollout) and is found by equal messages. The conversations used
 * longest ago are forgotten once all hold more ids than allowed; one that is forgotten is rendered anew.
 */
export class ConversationMemory {
  readonly #streams = new Map<string, Remembered[]>();
  readonly #maxIds: number;
  #ids = 0;

  /** @param maxIds  bound of the ids of all conversations together. */
  constructor(maxIds: number) {
    this.#maxIds = maxIds;
  }

  /** The longest conversation of the stream that these messages go on from. */
  find(stream: string, messages: readonly Message[]): Remembered | undefined {
    let longest: Remembered | undefined;
    for (const conversation of this.#streams.get(stream) ?? []) {
      if (longest !== undefined && conversation.asked.length <= longest.asked.length) continue;
      if (isContinued(conversation, messages)) longest = conversation;
    }
    return longest;
  }

  add(stream: string, conversation: Remembered): void {
    const kept = this.#streams.get(stream) ?? [];
    // Anew at the end of the map, whose first entry is the one used longest ago.
    this.#streams.delete(stream);
    this.#streams.set(stream, kept);
    kept.push({
      ...conversation,
      asked: conversation.asked.map((message) => ({ ...message })),
      reply: { ...conversation.reply },
    });
    this.#ids += conversation.ids.length;
    if (kept.length > PER_STREAM) this.#ids -= kept.shift()?.ids.length ?? 0;
    for (const [oldest, conversations] of this.#streams) {
      if (this.#ids <= this.#maxIds || oldest === stream) break;
      for (const { ids } of conversations) this.#ids -= ids.length;
      this.#streams.delete(oldest);
    }
  }
}

/** Whether the messages are those asked, then the reply, then more. */
function isContinued({ asked, reply, replyText }: Remembered, messages: readonly Message[]): boolean {
  const given = messages[asked.length];
  return (
    messages.length > asked.length + 1 &&
    given !== undefined &&
    (isDeepStrictEqual(given, reply) || isWholeText(given, replyText)) &&
    asked.every((message, i) => isDeepStrictEqual(message, messages[i]))
  );
}

/** Some callers put the whole text of a reply into the conversation, thinking and all. */
function isWholeText(message: Message, text: string): boolean {
  const { role, content, reasoning, toolCalls } = message;
  return role === 'assistant' && content === text && reasoning === undefined && toolCalls === undefined;
}
