import * as z from 'zod';
import type { ConfigPath } from './config-path.js';
import { schemaAt } from './schema-at.js';

/** Printed in place of a secret. */
export const HIDDEN = '[hidden]';

const SECRET_WORD =
  /^(?:secrets?|passwords?|passwd|passphrase|authorization|credentials?|apikeys?|bearer|cookie)$/;
const SECRET_PAIR = /^(?:api|access|private|secret|signing|encryption|account) keys?$/;
/** Tokens of a vocabulary, not of an account. */
const VOCABULARY_TOKEN = /^(?:bos|eos|pad|unk|mask|sep|cls|end|start|stop|special) token$/;

/** True for `apiKey`, `hf_token`, `x-api-key`, `Authorization`, …; false for `maxTokens`, `eosToken`, `tokenizer`. */
export function isSecretKey(key: string): boolean {
  const words = key
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '');
  const pair = words.slice(-2).join(' ');
  if (words.some((word) => SECRET_WORD.test(word)) || SECRET_PAIR.test(pair)) return true;
  return words.at(-1) === 'token' && !VOCABULARY_TOKEN.test(pair);
}

/** True below an option that is named like a secret. The fields of the schema and the names of roles hold none. */
export function hidesValue(path: ConfigPath): boolean {
  return schemaAt(path) instanceof z.ZodUnknown && path.some(isSecretKey);
}

/** Hides the password of a URL. */
export function withoutUrlPassword(text: string): string {
  return text.replace(/(\w+:\/\/[^\s/:@]*):[^\s/@]+@/g, `$1:${HIDDEN}@`);
}

/** Hides what follows a secret key on each line of a file's text. */
export function withoutSecretLines(text: string): string {
  return text.replace(
    /(["']?)([\w-]+)\1(\s*[:=]\s*)(?=\S)(.+)/g,
    (line, quote: string, key: string, sign: string) =>
      isSecretKey(key) ? `${quote}${key}${quote}${sign}${HIDDEN}` : withoutUrlPassword(line),
  );
}
