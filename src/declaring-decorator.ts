import { type Declaration, declare } from './declarations.js';
import { RllmError } from './errors.js';
import { type Check, fieldSentences, flag, schema, text } from './field-checks.js';

/** What a decorator declares, but for the target, which it learns when it is applied. */
export interface DecoratorSpec {
  readonly kind: Declaration['kind'];
  /** As a user writes it, for messages: `@AdvEstimator`. */
  readonly label: string;
  /** The method that instances of a decorated class have. */
  readonly method: string;
  readonly name: string;
  /** What the declaration says besides the name. */
  readonly options: object;
  /** Of every field that `options` may have, but for those that all declarations have. */
  readonly checks?: Readonly<Record<string, Check>>;
}

/** What every declaration may say of itself. */
export const DECLARED_FIELDS: Readonly<Record<string, Check>> = {
  summary: text,
  options: schema,
  override: flag,
};

/** The part of a TC39 decorator context that is read. */
interface StandardContext {
  readonly kind: string;
  readonly name: PropertyKey | undefined;
  readonly static?: boolean;
  /** Absent on classes, for which it is not read. */
  readonly access: { get(owner: unknown): unknown };
  addInitializer(initializer: (this: unknown) => void): void;
}

type Callable = (...args: unknown[]) => unknown;

/**
 * One function for legacy decorators, TC39 decorators and plain calls. It goes by its second argument: a context object is
 * TC39, a key is a legacy method, nothing is a legacy class or a plain call, which need not be told apart.
 *
 * A static method is bound late: the declared function reads the method from its class at each call, so that a decorator
 * outside this one, and `this`, keep working.
 *
 * @returns the decorator; it changes nothing that it decorates.
 * @throws RllmError DECORATOR_MISUSED for an empty name, and for options that it does not have or that are of another type; when
 *   applied, on anything but a class, a static method or a function.
 */
export function declaringDecorator(
  spec: DecoratorSpec,
): (value: unknown, second?: unknown, descriptor?: PropertyDescriptor) => unknown {
  if (typeof spec.name !== 'string' || spec.name.trim() === '') {
    throw new RllmError(
      'DECORATOR_MISUSED',
      `${spec.label}() takes a name, for example ${spec.label}('mine').`,
    );
  }
  checkFields(`${spec.label}("${spec.name}")`, spec.options, { ...DECLARED_FIELDS, ...spec.checks });
  const options: Readonly<Record<string, unknown>> = { ...spec.options };
  const add = (form: Declaration['form'], target: unknown): void => {
    declare({
      kind: spec.kind,
      name: spec.name,
      form,
      target,
      override: options['override'] === true,
      options,
    });
  };
  return (value, second, descriptor) => {
    if (isStandardContext(second)) {
      if (second.kind === 'class') return add('class', value);
      if (second.kind === 'method' && second.static === true) return add('function', lateStandard(second));
      return misused(spec, `the ${second.kind} "${String(second.name)}"`);
    }
    if (typeof second === 'string' || typeof second === 'symbol') {
      const isMethod = typeof value === 'function' && typeof descriptor?.value === 'function';
      if (!isMethod) return misused(spec, `the instance member "${String(second)}"`);
      return add('function', lateLegacy(value, second));
    }
    if (typeof value !== 'function') {
      return misused(spec, value === null ? 'null' : `a value of type ${typeof value}`);
    }
    add(isClass(value, spec.method) ? 'class' : 'function', value);
    return value;
  };
}

/** @throws RllmError DECORATOR_MISUSED with all that is wrong with what a declaration says of itself. */
export function checkFields(who: string, options: unknown, checks: Readonly<Record<string, Check>>): void {
  const problems = fieldSentences(options, checks);
  if (problems.length > 0)
    throw new RllmError('DECORATOR_MISUSED', `${who}: ${problems.join(' ')}`, { details: { problems } });
}

/** Whether a function is a class: by its method, else by its source, since the method may be a field. */
export function isClass(value: unknown, method: string): boolean {
  if (typeof value !== 'function') return false;
  const prototype: unknown = value.prototype;
  if (typeof prototype === 'object' && prototype !== null && method in prototype) return true;
  return Function.prototype.toString.call(value).startsWith('class');
}

function isStandardContext(value: unknown): value is StandardContext {
  return typeof value === 'object' && value !== null && 'kind' in value && 'addInitializer' in value;
}

function lateStandard(context: StandardContext): Callable {
  let owner: unknown;
  context.addInitializer(function () {
    owner = this;
  });
  return (...args) => (context.access.get(owner) as Callable).apply(owner, args);
}

function lateLegacy(owner: object, key: PropertyKey): Callable {
  return (...args) => (Reflect.get(owner, key) as Callable).apply(owner, args);
}

function misused(spec: DecoratorSpec, what: string): never {
  throw new RllmError(
    'DECORATOR_MISUSED',
    `${spec.label}("${spec.name}") cannot decorate ${what}: use it on a class with a method ${spec.method}(), on a static method, or call it on a function.`,
    { details: { kind: spec.kind, name: spec.name } },
  );
}
