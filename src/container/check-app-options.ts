import { type ConfigFault, optionFaults } from '../config/index.js';
import { type Check, callable, flag, isObject, listOf, string, that } from '../field-checks.js';
import type { AppOptions, RunTarget } from './app.js';

const object = (expected: string): Check =>
  that((value) => isObject(value) || typeof value === 'function', expected);

const given: Check = () => undefined;

const OPTIONS = {
  plugins: listOf(object('what definePlugin() gives; the config names plugins')),
  workflow: object('what defineWorkflow() gives, or a function'),
  // Read with the data of the config, and checked there.
  trainData: given,
  valData: given,
  useDeclared: flag,
  complete: flag,
  validateOnly: flag,
  override: callable,
  logger: that(isLogger, 'an object with debug(), info(), warn() and error()'),
  print: callable,
  weights: string,
  run: that((value) => value === null || isObject(value), 'an object, or null to write nothing'),
  baseDirectory: string,
} satisfies Record<keyof AppOptions, Check>;

const RUN = {
  directory: string,
  resume: string,
  allowPluginChange: flag,
  command: string,
} satisfies Record<keyof RunTarget, Check>;

/** What a program without types may get wrong in the arguments of `createApp`. */
export function appFaults(input: unknown, options: AppOptions): readonly ConfigFault[] {
  const faults = optionFaults(options, OPTIONS);
  const config = isPromise(input)
    ? [{ file: null, path: '', message: 'expected an object, given a promise: await it' }]
    : [];
  if (faults.length > 0 || !isObject(options.run)) return [...config, ...faults];
  return [...config, ...optionFaults(options.run, RUN, 'options.run')];
}

function isPromise(value: unknown): boolean {
  return isObject(value) && typeof value['then'] === 'function';
}

function isLogger(value: unknown): boolean {
  return (
    isObject(value) && ['debug', 'info', 'warn', 'error'].every((level) => typeof value[level] === 'function')
  );
}
