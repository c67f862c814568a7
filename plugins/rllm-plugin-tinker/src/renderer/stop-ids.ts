import { type ChatTemplate, tokenSpelling } from './chat-template.js';
import type { ModelFolder } from './model-folder.js';
import { textAfterReply } from './text-after-reply.js';
import type { TextTokens } from './text-tokens.js';

/**
 * Ids of the tokens that end the model's turn, in no particular order: `eos_token_id` of the generation config (one or several), `eos_token` of
 * the tokenizer's config, and the token that the template sets right behind a reply, such as `<|im_end|>`.
 */
export function stopIds(folder: ModelFolder, tokens: TextTokens, template: ChatTemplate): readonly number[] {
  const ids = new Set<number>();
  const { eos_token_id: configured } = folder.generationConfig;
  for (const id of Array.isArray(configured) ? configured : [configured]) {
    if (Number.isInteger(id)) ids.add(id as number);
  }
  const spelling = tokenSpelling(folder.tokenizerConfig['eos_token']);
  const eos = spelling === undefined ? undefined : tokens.idOf(spelling);
  if (eos !== undefined) ids.add(eos);
  const closing = closingId(tokens, template);
  if (closing !== undefined) ids.add(closing);
  return [...ids];
}

/** The special token right behind a reply, if there is one. */
function closingId(tokens: TextTokens, template: ChatTemplate): number | undefined {
  const messages = [
    { role: 'user', content: '-' },
    { role: 'assistant', content: '-' },
  ] as const;
  const after = textAfterReply({ messages, tools: [] }, 1, (conversation) => template.history(conversation));
  if (after === undefined) return undefined;
  const [first] = tokens.encode(after);
  return first !== undefined && tokens.isSpecial(first) ? first : undefined;
}
