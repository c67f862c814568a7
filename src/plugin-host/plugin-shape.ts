import { type Declaration, declarationsOf } from '../declarations.js';
import { type Check, callable, isObject, schema, show, text } from '../field-checks.js';
import { suggestion } from '../nearest.js';
import { whyNoCommandName } from './command-name.js';
import { HOOK_POINTS } from './hook-points.js';
import { PLUGIN_API_VERSION, type PluginDefinition } from './plugin.js';

/** One thing wrong with a plugin's definition. */
export interface ShapeProblem {
  /** Below the definition: `.estimators[1]`; empty for the whole. */
  readonly at: string;
  readonly message: string;
}

/** A class or function that a decorator has named. */
const declared =
  (kind: Declaration['kind'], decorator: string): Check =>
  (value) =>
    declarationsOf(value).some((d) => d.kind === kind)
      ? undefined
      : `has no name, got ${show(value)}: decorate it with @${decorator}('name')`;

/** An object with a name and the functions given. */
const part =
  (...methods: readonly string[]): Check =>
  (value) => {
    if (!isObject(value)) return `must be an object, got ${show(value)}`;
    const named = text(value['name']);
    if (named !== undefined) return `needs a name: it ${named}`;
    const missing = methods.filter((method) => typeof value[method] !== 'function');
    return missing.length === 0
      ? undefined
      : `("${value['name']}") needs ${missing.map((m) => `${m}()`).join(' and ')}`;
  };

/** The name of what is a command otherwise. */
const commandName: Check = (value) => {
  const name = String(isObject(value) && value['name']);
  const why = whyNoCommandName(name);
  return why === undefined ? undefined : `("${name}") ${why}`;
};

const SINGLE = { name: text, version: text, options: schema, setup: callable } satisfies Partial<
  Record<keyof PluginDefinition, Check>
>;

const LISTS = {
  estimators: declared('estimator', 'AdvEstimator'),
  groupingHooks: declared('groupingHook', 'GroupingHook'),
  backends: part('create'),
  workflows: part('run'),
  rewards: declared('rewardFunction', 'RewardFunction'),
  datasets: part('open'),
  trackers: part('create'),
  commands: (value) => part('run')(value) ?? commandName(value),
} satisfies Partial<Record<keyof PluginDefinition, Check>>;

const FIELDS: readonly string[] = ['apiVersion', 'hooks', ...Object.keys(SINGLE), ...Object.keys(LISTS)];

/**
 * Everything wrong with a plugin's definition. One made for another API version is not looked at further, since its fields
 * may mean something else.
 */
export function pluginProblems(value: unknown): readonly ShapeProblem[] {
  if (!isObject(value) || Array.isArray(value))
    return [{ at: '', message: `must be an object, got ${show(value)}` }];
  const { apiVersion } = value;
  if (apiVersion !== PLUGIN_API_VERSION) {
    const given = apiVersion === undefined ? 'is missing' : `is ${show(apiVersion)}`;
    return [{ at: '.apiVersion', message: `${given}; this SDK speaks ${PLUGIN_API_VERSION}` }];
  }
  return [
    ...Object.keys(value)
      .filter((key) => !FIELDS.includes(key))
      .map((key) => ({ at: `.${key}`, message: `is no field of a plugin. ${suggestion(key, FIELDS)}` })),
    ...Object.entries(SINGLE).flatMap(([key, check]) =>
      value[key] === undefined && key !== 'name' ? [] : problem(`.${key}`, check(value[key])),
    ),
    ...Object.entries(LISTS).flatMap(([key, check]) => listProblems(`.${key}`, value[key], check)),
    ...hookProblems(value['hooks']),
  ];
}

function problem(at: string, message: string | undefined): readonly ShapeProblem[] {
  return message === undefined ? [] : [{ at, message }];
}

function listProblems(at: string, list: unknown, check: Check): readonly ShapeProblem[] {
  if (list === undefined) return [];
  if (!Array.isArray(list)) return problem(at, `must be a list, got ${show(list)}`);
  return list.flatMap((item, i) => problem(`${at}[${i}]`, check(item)));
}

/**
 * Of a plain object every field must be a hook. An instance of a class has its hooks as methods and may have fields of its own;
 * of those only what is named like a hook is looked at.
 */
function hookProblems(hooks: unknown): readonly ShapeProblem[] {
  if (hooks === undefined) return [];
  if (!isObject(hooks) || Array.isArray(hooks))
    return problem('.hooks', `must be an object, got ${show(hooks)}`);
  const isKnown = (key: string): boolean => HOOK_POINTS.some((point) => point === key);
  const wrong = HOOK_POINTS.filter((point) => hooks[point] !== undefined).flatMap((point) =>
    problem(`.hooks.${point}`, callable(hooks[point])),
  );
  const unknown = hookNames(hooks)
    .filter((key) => !isKnown(key))
    .flatMap((key) => problem(`.hooks.${key}`, `is no hook. ${suggestion(key, HOOK_POINTS)}`));
  return [...unknown, ...wrong];
}

/** Every key of a plain object; of an instance the methods of its class, and what it inherits, that begin with `on`. */
function hookNames(hooks: object): readonly string[] {
  const prototype: unknown = Object.getPrototypeOf(hooks);
  if (prototype === null || prototype === Object.prototype) return Object.keys(hooks);
  const names: string[] = [];
  for (
    let holder: unknown = prototype;
    isObject(holder) && holder !== Object.prototype;
    holder = Object.getPrototypeOf(holder)
  )
    names.push(...Object.getOwnPropertyNames(holder).filter((key) => /^on[A-Z]/.test(key)));
  return [...new Set(names)];
}
