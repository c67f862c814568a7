import * as z from 'zod';
import type { ConfigPath } from './config-path.js';
import { schemaAt } from './schema-at.js';

/** Printed in place of a secret. */
export const HIDDEN = '[hidden]';

const SECRET_WORD =
  /^(?:secrets?|passwords?|passwd|pwd|passphrase|authorization|credentials?|(?:api|access|private|secret)keys?|(?:auth|access)tokens?|bearer|cookie)$/;
/** Always secret as the last word of a name: `db_dsn`, `basicAuth`, but not `authMode`. */
const SECRET_LAST_WORD = /^(?:auth|dsn)$/;
/** Keys that open something, and keys of an account with somebody; a key of any other kind may be that of a table. */
const SECRET_PAIR =
  /^(?:(?:api|access|private|secret|signing|encryption|account|master|service|license|auth|ssh|rsa|gpg|pgp|hmac|jwt|ai|openai|anthropic|azure|aws|gcp|google|gemini|mistral|cohere|groq|grok|together|fireworks|deepseek|openrouter|replicate|huggingface|hf|wandb|tinker|langsmith|langfuse|tavily|serper) keys?|connection string)$/;
/** Tokens of a vocabulary, not of an account. */
const VOCABULARY_TOKEN = /^(?:bos|eos|pad|unk|mask|sep|cls|end|start|stop|special) token$/;

/** True for `apiKey`, `hf_token`, `openaiKey`, `Authorization`, …; false for `maxTokens`, `eosToken`, `primaryKey`. */
export function isSecretKey(key: string): boolean {
  const words = key
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '');
  const pair = words.slice(-2).join(' ');
  if (words.some((word) => SECRET_WORD.test(word)) || SECRET_PAIR.test(pair)) return true;
  const last = words.at(-1) ?? '';
  return SECRET_LAST_WORD.test(last) || (last === 'token' && !VOCABULARY_TOKEN.test(pair));
}

/** True below an option that is named like a secret. The fields of the schema and the names of roles hold none. */
export function hidesValue(path: ConfigPath): boolean {
  return schemaAt(path) instanceof z.ZodUnknown && path.some(isSecretKey);
}

const URL_TEXT = /\b\w+:\/\/[^\s"'`<>]+/g;
/** A password may hold `@` or `/`; digits up to a `/` are a port. */
const URL_PASSWORD = /^(\w+:\/\/[^/?#:@[]*):(?!\d*(?:[/?#]|$)).*@/;
/** The user of a web address is often a token: `https://TOKEN@host`, `https://TOKEN:x-oauth-basic@host`. */
const WEB_USER = /^(https?:\/\/)[^/?#@]+@/;
const URL_PARAMETER = /(?<=[?&#;])([^?&#;=]+)=[^&#;]+/g;
/** Parameters that are secret in a URL and not elsewhere: a key of Google's, signatures of links to storage. */
const SECRET_PARAMETER = /^(?:key|sig|.*signature)$/i;

/** Hides passwords, tokens and secret parameters of the URLs in a text. */
export function withoutUrlSecrets(text: string): string {
  return text.replace(URL_TEXT, (url) =>
    url
      .replace(URL_PASSWORD, `$1:${HIDDEN}@`)
      .replace(WEB_USER, `$1${HIDDEN}@`)
      .replace(URL_PARAMETER, (whole, name: string) =>
        isSecretKey(name) || SECRET_PARAMETER.test(name) ? `${name}=${HIDDEN}` : whole,
      ),
  );
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
  return withoutUrlSecrets(shown + text.slice(end));
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
