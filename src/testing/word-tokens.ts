import type { TokenView } from '../backend/index.js';
import type { Message } from '../types/index.js';

/**
 * Words as tokens, for tests: a word's id is a hash of the word, so that it never depends on which word came first.
 *
 * A conversation is `<user> words… <end> <assistant>`, a reply is `words… <end>`; so the prompt of a later turn goes on
 * exactly from the prompt and the reply before it.
 */
export class WordTokens implements TokenView {
  readonly #words = new Map<number, string>();

  /** Ids of a conversation up to where the model speaks. */
  encodePrompt(messages: readonly Message[]): readonly number[] {
    const turns = messages.flatMap(({ role, content }) => [`<${role}>`, ...wordsOf(content), '<end>']);
    return this.#ids([...turns, '<assistant>']);
  }

  encodeReply(text: string): readonly number[] {
    return this.#ids([...wordsOf(text), '<end>']);
  }

  decode(tokenId: number): string {
    return `${this.#words.get(tokenId) ?? `<${tokenId}>`} `;
  }

  get words(): readonly string[] {
    return [...this.#words.values()].sort();
  }

  /** Makes words known again after a restart, so that their ids can be read. */
  learn(words: readonly string[]): void {
    this.#ids(words);
  }

  #ids(words: readonly string[]): readonly number[] {
    return words.map((word) => {
      const id = hash(word);
      this.#words.set(id, word);
      return id;
    });
  }
}

function wordsOf(text: string): readonly string[] {
  return text.split(/\s+/).filter((word) => word !== '');
}

/** FNV-1a, 31 bits. */
function hash(text: string): number {
  let h = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193);
  return h >>> 1;
}
