import { readFile } from 'node:fs/promises';
import { basename, extname } from 'node:path';
import { awaiting } from '../awaited-parts.js';
import { messageOf, RllmError } from '../errors.js';
import { isModule } from './find-config.js';
import { childOf } from './plain-tree.js';
import { HIDDEN, withoutSecretLines } from './secrets.js';
import { positionOf, type TextPosition } from './text-position.js';
import { unexpectedTokenOffset } from './unexpected-token-offset.js';

export interface ConfigFile {
  readonly file: string;
  readonly tree: unknown;
  /** The text of a JSON or YAML file, in which values can be located; null for modules. */
  readonly text: string | null;
  /** Keys of the file above the configuration: `['rllm']` in a package.json. */
  readonly prefix: readonly string[];
}

/**
 * Reads a config file by its extension: `.json`; `.yaml`, `.yml` and none as YAML; `.js`, `.mjs`, `.cjs` by import; `.ts`,
 * `.mts`, `.cts` through jiti, without writing anything. A package.json holds it under `rllm`.
 *
 * @throws RllmError CONFIG_UNREADABLE with the file, the place and the lines around it.
 */
export async function readConfigFile(file: string): Promise<ConfigFile> {
  const extension = extname(file);
  if (isModule(file)) {
    return { file, tree: await importModule(file, extension), text: null, prefix: [] };
  }
  const marked = await readFile(file, 'utf8').catch((cause) => unreadable(file, cause));
  // Editors count no column for a byte order mark, and YAML would take a blank in its place for an indent.
  const text = marked.replace(/^\uFEFF/, '');
  const prefix = basename(file) === 'package.json' ? ['rllm'] : [];
  const { defaultLoaders } = await import('cosmiconfig');
  const load = extension === '.json' ? defaultLoaders['.json'] : defaultLoaders['.yaml'];
  let content: unknown;
  try {
    content = load(file, text);
  } catch (cause) {
    return unreadable(file, cause, text);
  }
  const tree = prefix.reduce(childOf, content);
  if (tree === undefined || tree === null) return unreadable(file, new Error('it holds no configuration'));
  return { file, tree, text, prefix };
}

async function importModule(file: string, extension: string): Promise<unknown> {
  return awaiting(`the import of the config file ${file}`, () => evaluated(file, extension));
}

async function evaluated(file: string, extension: string): Promise<unknown> {
  let config: unknown;
  try {
    if (extension.endsWith('js')) {
      const { defaultLoaders } = await import('cosmiconfig');
      config = await defaultLoaders['.js'](file, '');
    } else {
      const { createJiti } = await import('jiti');
      const module: unknown = await createJiti(file, { fsCache: false, moduleCache: false }).import(file);
      const hasDefault = typeof module === 'object' && module !== null && 'default' in module;
      config = hasDefault ? await module.default : extension === '.cts' ? module : undefined;
    }
  } catch (cause) {
    return unreadable(file, cause, await readFile(file, 'utf8').catch(() => undefined));
  }
  return config ?? unreadable(file, new Error('it has no default export'));
}

function unreadable(file: string, cause: unknown, text?: string): never {
  const place = text === undefined ? undefined : placeOfSyntaxError(cause, text);
  const where = place === undefined ? file : `${file}:${place.line}:${place.column}`;
  const frame = place === undefined || text === undefined ? '' : `\n${frameAt(text, place)}`;
  const message = `${where} cannot be read: ${withoutSecretNames(reasonOf(cause), text ?? '')}.${frame}`;
  // What the parsers of data throw quotes the text, secrets and all.
  const quotesText = text !== undefined && !isModule(file);
  const details = { file, ...place };
  throw new RllmError('CONFIG_UNREADABLE', message, quotesText ? { details } : { cause, details });
}

function placeOfSyntaxError(cause: unknown, text: string): TextPosition | undefined {
  const mark = fieldOf(cause, 'mark');
  if (mark !== undefined) {
    return { line: Number(fieldOf(mark, 'line')) + 1, column: Number(fieldOf(mark, 'column')) + 1 };
  }
  const message = messageOf(cause);
  if (/^JSON Error in .*\nUnexpected token /.test(message)) {
    return positionOf(text, unexpectedTokenOffset(text));
  }
  const parsed = /\.[cm]?ts:(\d+):(\d+)$/.exec(message);
  if (parsed !== null) return { line: Number(parsed[1]), column: Number(parsed[2]) + 1 };
  const offset = /at position (\d+)/.exec(message)?.[1];
  if (offset !== undefined) return positionOf(text, Number(offset));
  return /end of JSON|end of data/i.test(message) ? positionOf(text, text.trimEnd().length) : undefined;
}

/** The reason alone: the loaders' messages repeat the file and the lines, and those of `JSON.parse` quote the text. */
function reasonOf(cause: unknown): string {
  const reason = fieldOf(cause, 'reason');
  if (typeof reason === 'string') return reason;
  const lines = messageOf(cause).split('\n');
  const line = lines.find((candidate) => / in JSON| end of | valid JSON/.test(candidate)) ?? lines[0] ?? '';
  return line
    .replace(/^(Unexpected token '.+?'), .*$/s, '$1 in JSON')
    .replace(/ while parsing.*$/s, '')
    .replace(/[.\s]+$/, '');
}

/** Hides the tag or alias of YAML that a reason names, where it is the value of a secret key: `password: !tag`. */
function withoutSecretNames(reason: string, text: string): string {
  const shown = withoutSecretLines(text);
  return reason.replace(/(?<=!<!?|")[^"<>]+(?=[">])/g, (name) =>
    text.includes(name) && !shown.includes(name) ? HIDDEN : name,
  );
}

function frameAt(text: string, { line, column }: TextPosition): string {
  const lines = withoutSecretLines(text).split('\n');
  const before = text.split('\n').slice(0, line);
  before.push(before.pop()?.slice(0, column - 1) ?? '');
  const shownBefore = withoutSecretLines(before.join('\n')).split('\n').at(-1) ?? '';
  const first = Math.max(1, line - 2);
  return lines
    .slice(first - 1, line + 1)
    .flatMap((content, i) => {
      const numbered = `${String(first + i).padStart(5)} | ${content}`;
      return first + i === line ? [numbered, `      | ${' '.repeat(shownBefore.length)}^`] : [numbered];
    })
    .join('\n');
}

/** A field of an error of unknown make. */
function fieldOf(value: unknown, field: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, field) : undefined;
}
