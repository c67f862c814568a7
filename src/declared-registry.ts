import { type Attribution, attributed } from './attribute.js';
import type { Declaration } from './declarations.js';
import { isClass } from './declaring-decorator.js';
import { type ErrorCode, RllmError } from './errors.js';
import { Registry, type RegistryEntry } from './registry.js';

/** What sets one kind of declared part apart from another. */
export interface DeclaredKind<Fn, Part, Options> {
  readonly kind: Declaration['kind'];
  /** What messages call it: `advantage estimator`. */
  readonly title: string;
  /** The method that instances of its classes have. */
  readonly method: string;
  /** Code of the error when a class cannot be constructed. */
  readonly threw: ErrorCode;
  fromFunction(fn: Fn, options: Options): Part;
  /** `undefined` when the instance is not one of this kind. */
  fromInstance(instance: unknown, options: Options): Part | undefined;
}

/** A class or function as it was registered, and the part made of it once it has been asked for. */
export interface Registered<Class, Fn, Part, Options> {
  readonly target: Class | Fn;
  readonly form: 'class' | 'function';
  readonly options: Options;
  part?: Part;
}

/** Parts that decorators declare, by name. A class is constructed when first asked for, once. */
export class DeclaredRegistry<Class, Fn, Part, Options extends { readonly override?: boolean }> {
  readonly #is: DeclaredKind<Fn, Part, Options>;
  readonly #construct: (cls: Class) => unknown;
  readonly #registry: Registry<Registered<Class, Fn, Part, Options>>;

  constructor(is: DeclaredKind<Fn, Part, Options>, construct: (cls: Class) => unknown = constructPlainly) {
    this.#is = is;
    this.#construct = construct;
    this.#registry = new Registry(is.title, { identity: ({ target }) => target });
  }

  /**
   * @throws RllmError DUPLICATE_NAME, which names both owners, unless the declaration overrides; the same target twice is no fault.
   * @throws RllmError REGISTRY_FROZEN after `freeze()`.
   */
  add(declaration: Declaration, owner: string): void {
    const { kind, form, name, target, override } = declaration;
    if (kind !== this.#is.kind || form === 'definition' || typeof target !== 'function') {
      throw new RllmError(
        'DECORATOR_MISUSED',
        `"${name}" of ${owner} is declared as ${kind} in the form of a ${form}, and was added as ${this.#is.title}.`,
      );
    }
    const options = declaration.options as Options;
    this.#registry.add(name, { target: target as Class | Fn, form, options }, owner, { override });
  }

  /** Adds a function that no decorator stands on. @throws RllmError as `add` does. */
  addFunction(name: string, fn: Fn, owner: string, options: Options = {} as Options): void {
    const override = options.override === true;
    this.#registry.add(name, { target: fn, form: 'function', options }, owner, { override });
  }

  /** Puts a class or function in the place of whatever has the name. @throws RllmError REGISTRY_FROZEN after `freeze()`. */
  override(name: string, target: Class | Fn, owner: string, options: Options = {} as Options): void {
    const form = isClass(target, this.#is.method) ? 'class' : 'function';
    this.#registry.add(name, { target, form, options }, owner, { override: true });
  }

  /**
   * The part, the same object at every call.
   *
   * @throws RllmError UNKNOWN_NAME with the nearest name and all known ones.
   * @throws RllmError DECORATOR_MISUSED when its class lacks the method, and an error with the cause when its constructor throws.
   */
  get(name: string): Part {
    const registered = this.#registry.get(name);
    registered.part ??= this.#make(name, registered);
    return registered.part;
  }

  has(name: string): boolean {
    return this.#registry.has(name);
  }

  names(): string[] {
    return this.#registry.names();
  }

  /** @throws RllmError UNKNOWN_NAME as `get` does. */
  entry(name: string): RegistryEntry<Registered<Class, Fn, Part, Options>> {
    return this.#registry.entry(name);
  }

  /** The part for messages: what it is called, and who brought it. @throws RllmError UNKNOWN_NAME as `get` does. */
  partOf(name: string): Attribution {
    return { what: `${this.#is.title} "${name}"`, owner: this.entry(name).owner };
  }

  /** In the order of the names' first mention. Constructs none. */
  entries(): RegistryEntry<Registered<Class, Fn, Part, Options>>[] {
    return this.#registry.list();
  }

  /** From now on `add`, `addFunction` and `override` throw. */
  freeze(): void {
    this.#registry.freeze();
  }

  #make(name: string, { target, form, options }: Registered<Class, Fn, Part, Options>): Part {
    const { title, method, threw, fromFunction, fromInstance } = this.#is;
    if (form === 'function') return fromFunction(target as Fn, options);
    const who = `The ${title} "${name}" of ${this.entry(name).owner}`;
    let instance: unknown;
    try {
      instance = this.#construct(target as Class);
    } catch (cause) {
      throw attributed(cause, this.partOf(name), 'could not be constructed', threw);
    }
    const part = fromInstance(instance, options);
    if (part === undefined) {
      throw new RllmError(
        'DECORATOR_MISUSED',
        `${who} is a class whose instances have no method ${method}().`,
        {
          details: { name },
        },
      );
    }
    return part;
  }
}

function constructPlainly(cls: unknown): unknown {
  return new (cls as new () => unknown)();
}
