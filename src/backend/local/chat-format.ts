import type { Message } from '../../types/index.js';
import type { VocabularyOptions } from './local-options.js';
import type { Vocabulary } from './vocabulary.js';

/**
 * How a conversation becomes tokens, and a reply becomes text.
 *
 * `bos`, then for each message its role's word if there is one, the words of its content, and the end-of-turn word if there
 * is one; last the word of the assistant, whose turn it is. A reply read back as a message gives the same tokens, so each
 * prompt of a conversation extends the one before and trains as one sequence.
 */
export interface ChatFormat {
  readonly endOfTurn: number | undefined;
  /** @throws RllmError TOKEN_UNKNOWN */
  prompt(messages: readonly Message[]): number[];
  /** Text of sampled tokens, without the end-of-turn word. */
  reply(ids: readonly number[]): string;
}

export function createChatFormat(vocabulary: Vocabulary, options: VocabularyOptions): ChatFormat {
  const bos = vocabulary.id(options.bos);
  const endOfTurn = options.endOfTurn === null ? undefined : vocabulary.id(options.endOfTurn);
  const roleIds = new Map<string, number>();
  for (const [role, word] of Object.entries(options.roles)) {
    if (word !== undefined) roleIds.set(role, vocabulary.id(word));
  }
  const opening = (role: string): number[] => {
    const id = roleIds.get(role);
    return id === undefined ? [] : [id];
  };
  return {
    endOfTurn,
    prompt(messages) {
      const ids = [bos];
      for (const message of messages) {
        ids.push(...opening(message.role));
        // Not spread: a message of a hundred thousand words has more ids than a call may have arguments.
        for (const id of vocabulary.encode(message.content)) ids.push(id);
        if (endOfTurn !== undefined) ids.push(endOfTurn);
      }
      ids.push(...opening('assistant'));
      return ids;
    },
    reply: (ids) => vocabulary.decode(ids.filter((id) => id !== endOfTurn)),
  };
}
