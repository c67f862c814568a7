import type { DependencyContainer } from 'tsyringe';
import { messageOf, RllmError } from '../errors.js';
import type { BindOptions, PluginToken } from '../plugin-host/index.js';
import { bindOnce } from './bind-parts.js';
import {
  BACKENDS,
  COMMANDS,
  CONFIG,
  DATASETS,
  ESTIMATORS,
  GROUPING_HOOKS,
  LOGGER,
  REWARDS,
  TRACKERS,
  WORKFLOWS,
} from './tokens.js';

/** Tokens of the SDK's own parts begin so. */
const CORE = 'rllm/';

/** What the app itself has taken out of the container before plugins are installed, so that a replacement would do nothing. */
const IN_USE: readonly unknown[] = [
  CONFIG,
  LOGGER,
  ESTIMATORS,
  GROUPING_HOOKS,
  BACKENDS,
  WORKFLOWS,
  REWARDS,
  DATASETS,
  TRACKERS,
  COMMANDS,
];

/** What plugins bind into the container of an app, and who bound it. The container itself stays here. */
export class PluginBindings {
  readonly #container: DependencyContainer;
  readonly #owners = new Map<symbol, string>();

  constructor(container: DependencyContainer) {
    this.#container = container;
  }

  /**
   * Binds a token to a value, or to what `make` returns when it is first needed, once.
   *
   * @returns whether it took the place of something.
   * @throws RllmError DUPLICATE_NAME when the token is bound, with both owners, unless `override` is set; a core part that is
   *   not built yet counts as bound.
   * @throws RllmError PLUGIN_INVALID for a token that is no symbol, one of the SDK that no plugin can replace, and a part that is neither a value nor made.
   */
  bind<T>(
    token: PluginToken<T>,
    part: { readonly value: T } | { readonly make: () => T },
    owner: string,
    { override = false }: BindOptions = {},
  ): boolean {
    const name = bindingName(token);
    if (IN_USE.includes(token)) {
      throw new RllmError('PLUGIN_INVALID', `bind(${name}) comes too late: the app uses that part already.`);
    }
    const existing = this.#ownerOf(token);
    if (existing !== undefined && !override) {
      throw new RllmError('DUPLICATE_NAME', `Two parts bind the token ${name}: ${existing} and ${owner}.`, {
        details: { kind: 'binding', name, owners: [existing, owner] },
      });
    }
    bindOnce(this.#container, token, makerOf(part, name, owner));
    this.#owners.set(token, owner);
    return existing !== undefined;
  }

  #ownerOf(token: symbol): string | undefined {
    const own = this.#owners.get(token);
    if (own !== undefined) return own;
    const isCore = token.description?.startsWith(CORE) === true && Symbol.keyFor(token) !== undefined;
    if (isCore) return 'built-in';
    return this.#container.isRegistered(token) ? 'program' : undefined;
  }
}

/** How a token is called in lists and messages. */
export function bindingName(token: symbol): string {
  if (typeof token === 'symbol') return token.description ?? 'without a name';
  throw new RllmError(
    'PLUGIN_INVALID',
    `bind() takes a token made with Symbol.for('my-plugin/Part'), got a ${typeof token}.`,
  );
}

function makerOf<T>(
  part: { readonly value: T } | { readonly make: () => T },
  name: string,
  owner: string,
): () => T {
  if (typeof part === 'object' && part !== null) {
    if ('value' in part) return () => part.value;
    if (typeof part.make === 'function') return madeOnce(part.make, name, owner);
  }
  throw new RllmError('PLUGIN_INVALID', `bind(${name}) takes { value } or { make: () => part }.`);
}

/** Tsyringe makes again what was made as undefined or null. */
function madeOnce<T>(make: () => T, name: string, owner: string): () => T {
  let made: { readonly part: T } | undefined;
  return () => {
    try {
      made ??= { part: make() };
    } catch (cause) {
      const message = `${name}, bound by ${owner}, cannot be made: ${messageOf(cause)}`;
      throw new RllmError('INJECTION_FAILED', message, { cause });
    }
    return made.part;
  };
}
