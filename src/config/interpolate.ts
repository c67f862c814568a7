import { ownValue } from '../own-value.js';
import { type ConfigPath, formatPath } from './config-path.js';
import type { BareFault, FaultAt } from './issue-faults.js';
import { mapTree } from './plain-tree.js';
import { readInterpolated } from './read-text.js';
import { schemaAt } from './schema-at.js';

export type Environment = Readonly<Record<string, string | undefined>>;

export interface Interpolated {
  readonly tree: unknown;
  /** Text before interpolation of each value that changed, by path. */
  readonly texts: ReadonlyMap<string, string>;
  readonly faults: readonly FaultAt[];
}

const REFERENCE = /\$\$\{|\$\{(?<name>[A-Za-z_][A-Za-z0-9_]*)(?::-(?<fallback>[^}]*))?\}|(?<malformed>\$\{)/g;

const MALFORMED: BareFault = {
  message: 'a reference to an environment variable is not well formed; a plain ${ is written $${',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the syntax that the user is to write.
  expected: '${NAME} or ${NAME:-default}',
};

/**
 * Puts environment variables into the strings of a config file: `${NAME}`, `${NAME:-default}` (also when NAME is empty, as in
 * a shell), `$${` for a plain `${`. A number or boolean field takes the result as such; class instances and functions are
 * left alone.
 */
export function interpolate(tree: unknown, env: Environment): Interpolated {
  const texts = new Map<string, string>();
  const faults: FaultAt[] = [];
  const replaceIn = (leaf: unknown, path: ConfigPath): unknown => {
    if (typeof leaf !== 'string' || !leaf.includes('${')) return leaf;
    let used = false;
    const text = leaf.replace(REFERENCE, (reference, ...rest) => {
      const { name, fallback, malformed } = rest.at(-1) as Record<string, string | undefined>;
      if (malformed !== undefined) {
        faults.push({ path, fault: MALFORMED });
        return reference;
      }
      if (name === undefined) return '${';
      used = true;
      const value = ownValue(env, name);
      if (value === undefined && fallback === undefined) {
        const message = `environment variable ${name} is not set`;
        faults.push({ path, fault: { message, missingVariable: name } });
      }
      return (fallback === undefined ? value : value || fallback) ?? '';
    });
    texts.set(formatPath(path), leaf);
    return used ? readInterpolated(text, schemaAt(path)) : text;
  };
  return { tree: mapTree(tree, replaceIn), texts, faults };
}
