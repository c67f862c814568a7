import { RllmError } from '../../errors.js';
import type { VocabularyOptions } from './local-options.js';

/** Words and their ids, in both directions. Without a separator, the longest word that fits is taken at each place. */
export class Vocabulary {
  readonly words: readonly string[];
  readonly separator: ' ' | '';
  private readonly ids: ReadonlyMap<string, number>;
  private readonly longest: number;

  constructor(options: Pick<VocabularyOptions, 'words' | 'separator'>) {
    this.words = options.words;
    this.separator = options.separator;
    this.ids = new Map(options.words.map((word, id) => [word, id]));
    this.longest = options.words.reduce((longest, word) => Math.max(longest, word.length), 0);
  }

  get size(): number {
    return this.words.length;
  }

  /** @throws RllmError TOKEN_UNKNOWN */
  id(word: string): number {
    const id = this.ids.get(word);
    if (id === undefined) {
      throw new RllmError(
        'TOKEN_UNKNOWN',
        `The vocabulary of the local backend has no word ${JSON.stringify(word)}.`,
        {
          details: { word },
        },
      );
    }
    return id;
  }

  /**
   * Ids of a text. With a space as separator the text is split at white space.
   *
   * @throws RllmError TOKEN_UNKNOWN
   */
  encode(text: string): number[] {
    if (this.separator === ' ')
      return text
        .split(/\s+/)
        .filter(Boolean)
        .map((word) => this.id(word));
    const ids: number[] = [];
    let at = 0;
    while (at < text.length) {
      let length = Math.min(this.longest, text.length - at);
      while (length > 1 && !this.ids.has(text.slice(at, at + length))) length--;
      ids.push(this.id(text.slice(at, at + length)));
      at += length;
    }
    return ids;
  }

  /** Text of one token; an id outside the vocabulary reads as `<id>`. */
  word(id: number): string {
    return this.words[id] ?? `<${id}>`;
  }

  decode(ids: readonly number[]): string {
    return ids.map((id) => this.word(id)).join(this.separator);
  }
}
