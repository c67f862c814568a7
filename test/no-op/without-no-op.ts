import { NO_OP } from './no-op-plugin.mjs';

/**
 * A list of plugins, or of names of plugins, less the one that does nothing: for tests that look at the whole list, which have it in
 * `npm run test:no-op` and not otherwise.
 */
export function withoutNoOp<T extends string | { readonly name: string }>(plugins: readonly T[]): T[] {
  return plugins.filter((plugin) => (typeof plugin === 'string' ? plugin : plugin.name) !== NO_OP);
}
