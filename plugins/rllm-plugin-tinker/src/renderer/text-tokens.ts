import { Tokenizer } from '@huggingface/tokenizers';
import { folderFault, type ModelFolder } from './model-folder.js';

/** Texts whose ids are kept: the rollouts of a group ask for the same prompt at about the same time. */
const REMEMBERED_TEXTS = 256;

/** The model's own tokenizer. */
export class TextTokens {
  readonly #tokenizer: Tokenizer;
  readonly #special: ReadonlySet<number>;
  readonly #recent = new Map<string, readonly number[]>();

  /** @throws RllmError CONFIG_INVALID when the files describe a tokenizer that this library does not know. */
  constructor({ path, tokenizer, tokenizerConfig }: ModelFolder) {
    try {
      this.#tokenizer = new Tokenizer(tokenizer, tokenizerConfig);
    } catch (cause) {
      throw folderFault(`the tokenizer of ${path} cannot be built`, cause);
    }
    const added = [...this.#tokenizer.get_added_tokens_decoder().values()];
    this.#special = new Set(added.filter(({ special }) => special).map(({ id }) => id));
  }

  /** Ids of a text, special tokens where the text spells them; none is added. */
  encode(text: string): readonly number[] {
    const known = this.#recent.get(text);
    if (known !== undefined) return known;
    const { ids } = this.#tokenizer.encode(text, { add_special_tokens: false });
    this.#recent.set(text, ids);
    if (this.#recent.size > REMEMBERED_TEXTS) {
      const [oldest = ''] = this.#recent.keys();
      this.#recent.delete(oldest);
    }
    return ids;
  }

  /** Text of ids, special tokens spelled out. An id that is the model's but not the tokenizer's has no text. */
  decode(ids: readonly number[]): string {
    const known = ids.filter((id) => this.#tokenizer.id_to_token(id) !== undefined);
    if (known.length === 0) return '';
    return this.#tokenizer.decode(known, { skip_special_tokens: false, clean_up_tokenization_spaces: false });
  }

  /** Id of one token by its spelling. */
  idOf(token: string): number | undefined {
    return this.#tokenizer.token_to_id(token);
  }

  /** Whether it is a token with a meaning, such as `<|im_end|>`, and not one of text. */
  isSpecial(id: number): boolean {
    return this.#special.has(id);
  }

  /** One more than the largest id of the tokenizer; the model may have more. */
  get size(): number {
    let largest = -1;
    for (const id of this.#tokenizer.get_vocab().values()) largest = Math.max(largest, id);
    return largest + 1;
  }
}
