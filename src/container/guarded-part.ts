import { type Attribution, attributed } from '../attribute.js';
import type { ErrorCode } from '../errors.js';

/**
 * A part whose methods name it when they throw or reject. Everything else is the part's own: its fields, its getters, its class.
 * A method that cannot be redefined, as of a frozen object, is left as it is.
 *
 * @param fields  values in place of the part's own, such as parts of it that are guarded themselves.
 */
export function guardedPart<T extends object>(
  part: T,
  who: Attribution,
  code: ErrorCode,
  fields: Partial<T> = {},
): T {
  const guarded = new Map<PropertyKey, unknown>();
  const fail = (key: PropertyKey, thrown: unknown): never => {
    throw attributed(thrown, who, `failed in ${String(key)}()`, code);
  };
  return new Proxy(part, {
    get(target, key) {
      if (Object.hasOwn(fields, key)) return Reflect.get(fields, key);
      const value: unknown = Reflect.get(target, key, target);
      const own = Reflect.getOwnPropertyDescriptor(target, key);
      const isFixed = own !== undefined && own.configurable === false && own.writable === false;
      if (typeof value !== 'function' || isFixed || key === 'constructor') return value;
      if (!guarded.has(key)) {
        guarded.set(key, (...args: unknown[]) => {
          try {
            const result: unknown = Reflect.apply(value, target, args);
            return result instanceof Promise ? result.catch((thrown: unknown) => fail(key, thrown)) : result;
          } catch (thrown) {
            return fail(key, thrown);
          }
        });
      }
      return guarded.get(key);
    },
  });
}
