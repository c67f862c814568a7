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
  return text.replace(/(\b\w+:\/\/[^\s/:@]*):[^\s/@]+@/g, `$1:${HIDDEN}@`);
}

/** A key of JSON, YAML or code with its sign, up to the value. */
const KEY = /(?:"([^"\n]*)"|'([^'\n]*)'|(?<![\w.-])([\w.-]+)["']?)\s*[:=]\s*/g;

/** A text in quotes that is the whole value. */
const QUOTED = /(["'`])(?:(?!\1)[^\\]|\\[\s\S])*\1(?=[ \t]*(?:[,;}\])#]|\r?$))/my;

/**
 * Hides the value of each secret key in a file's text, which may be one that cannot be parsed; lines stay lines. A value that is not a
 * text in quotes is hidden up to the end of its line, with the lines below that are indented deeper.
 */
export function withoutSecretLines(text: string): string {
  const keys = new RegExp(KEY);
  let shown = '';
  let end = 0;
  for (let match = keys.exec(text); match !== null; match = keys.exec(text)) {
    const [, double, single, plain] = match;
    if (!isSecretKey(double ?? single ?? plain ?? '')) continue;
    const from = keys.lastIndex;
    shown += text.slice(end, from);
    end = endOfValue(text, match.index, from);
    shown += text.slice(from, end).replace(/\S.*/g, HIDDEN);
    keys.lastIndex = end;
  }
  return withoutUrlPassword(shown + text.slice(end));
}

/** Where the value at `from` of the key at `key` ends. */
function endOfValue(text: string, key: number, from: number): number {
  const quoted = matchAt(QUOTED, text, from);
  if (quoted !== '') return from + quoted.length;
  const line = text.lastIndexOf('\n', key - 1) + 1;
  const indent = matchAt(/[ \t{[-]*/y, text.slice(0, key), line).length;
  // YAML lets the items of a list stand as deep as their key.
  const item = text.startsWith('- ', from) ? `|[ \\t]{${indent}}- .*` : '';
  const deeper = `[ \\t]{${indent + 1}}.*|[ \\t]*\\r?$${item}`;
  return from + matchAt(new RegExp(`.*(?:\\r?\\n(?:${deeper}))*`, 'my'), text, from).length;
}

function matchAt(sticky: RegExp, text: string, at: number): string {
  sticky.lastIndex = at;
  return sticky.exec(text)?.[0] ?? '';
}
