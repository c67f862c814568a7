import { RllmError } from './errors.js';
import { suggestion } from './nearest.js';

export interface RegistryEntry<T> {
  readonly name: string;
  readonly value: T;
  /** Who brought it, for people: `built-in`, a plugin's `name@version`, `program`. */
  readonly owner: string;
}

export interface RegistryOptions<T> {
  /** Two values with the same identity are the same thing; by default a value is its own identity. */
  readonly identity?: (value: T) => unknown;
}

/**
 * Parts of one kind by name: filled while an app is put together, then frozen.
 *
 * The same value twice under one name is no fault (a module may be seen through several exports); another value is, unless
 * it says that it overrides.
 */
export class Registry<T> {
  readonly #kind: string;
  readonly #identity: (value: T) => unknown;
  readonly #entries = new Map<string, RegistryEntry<T>>();
  #frozen = false;

  /** @param kind  what messages call an entry, for example `backend`. */
  constructor(kind: string, options: RegistryOptions<T> = {}) {
    this.#kind = kind;
    this.#identity = options.identity ?? ((value) => value);
  }

  /**
   * @throws RllmError DUPLICATE_NAME when another value has the name and `override` is not set; the message names both owners.
   * @throws RllmError REGISTRY_FROZEN after `freeze()`.
   */
  add(name: string, value: T, owner: string, options: { readonly override?: boolean } = {}): void {
    if (this.#frozen) {
      throw new RllmError(
        'REGISTRY_FROZEN',
        `The ${this.#kind} "${name}" of ${owner} comes too late: the app is already built.`,
        { details: { kind: this.#kind, name, owner } },
      );
    }
    const existing = this.#entries.get(name);
    if (existing !== undefined) {
      if (this.#identity(existing.value) === this.#identity(value)) return;
      if (options.override !== true) {
        throw new RllmError(
          'DUPLICATE_NAME',
          `Two parts bring the ${this.#kind} "${name}": ${existing.owner} and ${owner}.`,
          { details: { kind: this.#kind, name, owners: [existing.owner, owner] } },
        );
      }
    }
    this.#entries.set(name, { name, value, owner });
  }

  /** @throws RllmError UNKNOWN_NAME with the nearest name and all known ones. */
  entry(name: string): RegistryEntry<T> {
    const entry = this.#entries.get(name);
    if (entry === undefined) {
      const known = this.names();
      throw new RllmError('UNKNOWN_NAME', `No ${this.#kind} is named "${name}". ${suggestion(name, known)}`, {
        details: { kind: this.#kind, name, known },
      });
    }
    return entry;
  }

  /** @throws RllmError UNKNOWN_NAME as `entry` does. */
  get(name: string): T {
    return this.entry(name).value;
  }

  has(name: string): boolean {
    return this.#entries.has(name);
  }

  names(): string[] {
    return [...this.#entries.keys()];
  }

  /** In the order in which names were first added. */
  list(): RegistryEntry<T>[] {
    return [...this.#entries.values()];
  }

  freeze(): void {
    this.#frozen = true;
  }
}
