/** Keys and list positions from the top of the configuration to a value. */
export type ConfigPath = readonly string[];

const PLAIN_KEY = /^[^.[\]"=]+$/;
const SEGMENT = /(?<dot>\.?)(?<plain>[^.[\]"=]+)|\[(?<quoted>"(?:[^"\\]|\\.)*")\]|\[(?<index>\d+)\]/y;

/** `algorithm.estimatorMap.judge`; a key that holds a dot, a bracket, a quote or `=` is quoted: `lossFnMap["a.b"]`. */
export function formatPath(path: ConfigPath): string {
  let text = '';
  for (const key of path) {
    if (!PLAIN_KEY.test(key)) text += `[${JSON.stringify(key)}]`;
    else text += text === '' ? key : `.${key}`;
  }
  return text;
}

/** Reads a path at the start of a text, up to its end or to `=`. `plugins.0` and `plugins[0]` are the same. */
export function parsePath(text: string): { readonly path: ConfigPath; readonly rest: string } | undefined {
  const path: string[] = [];
  let at = 0;
  while (at < text.length && text[at] !== '=') {
    SEGMENT.lastIndex = at;
    const groups = SEGMENT.exec(text)?.groups;
    if (groups === undefined) return undefined;
    const { dot, plain, quoted, index } = groups;
    if (plain !== undefined && (dot === '.') === (path.length === 0)) return undefined;
    const key = plain ?? index ?? unquote(quoted ?? '');
    if (key === undefined) return undefined;
    path.push(key);
    at = SEGMENT.lastIndex;
  }
  return path.length === 0 ? undefined : { path, rest: text.slice(at) };
}

function unquote(quoted: string): string | undefined {
  try {
    return String(JSON.parse(quoted));
  } catch {
    return undefined;
  }
}
