import type { LoadedPlugin } from '../plugin-host/index.js';
import { nearPath } from './invocation.js';

/** `name@version (path)`: what runs, and where it lies. */
export function pluginText({ name, version, path }: Pick<LoadedPlugin, 'name' | 'version' | 'path'>): string {
  const where = path === undefined ? 'given in code' : nearPath(path, process.cwd());
  return `${name}${version === undefined ? '' : `@${version}`} (${where})`;
}
