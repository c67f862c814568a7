import { isBuiltin } from 'node:module';
import { RllmError } from '../../errors.js';

/** What a new plugin is called, in each place. */
export interface ScaffoldNames {
  /** The npm package: `@me/rllm-plugin-best-of`. */
  readonly package: string;
  /** The same without its scope: of the folder and of the test. */
  readonly short: string;
  /** What the configuration calls the part that it brings: `best_of`. */
  readonly part: string;
  /** How names of classes begin: `BestOf`. */
  readonly pascal: string;
  /** How names of values begin: `bestOf`. */
  readonly camel: string;
}

/** As npm has it for new packages. */
const PACKAGE_NAME = /^(?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*$/;
const LONGEST = 214;

/** @throws RllmError USAGE for a name that npm would not take. */
export function scaffoldNames(name: string): ScaffoldNames {
  const why = whyNotPackageName(name);
  if (why !== undefined) {
    throw new RllmError('USAGE', `"${name}" cannot be the name of an npm package: ${why}.`);
  }
  const short = name.slice(name.indexOf('/') + 1);
  const words = short
    .replace(/^rllm-(?:plugin-)?/, '')
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '');
  // What is left may be nothing, or begin with a digit, as no name in code does.
  if (words[0] === undefined || /^\d/.test(words[0])) words.unshift('my');
  const pascal = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
  const camel = pascal.charAt(0).toLowerCase() + pascal.slice(1);
  return { package: name, short, part: words.join('_'), pascal, camel };
}

function whyNotPackageName(name: string): string | undefined {
  if (!PACKAGE_NAME.test(name)) {
    return 'it has small letters, digits, ".", "_", "~" and "-", does not begin with "." or "_", and may have a scope, @me/name';
  }
  if (name.length > LONGEST) return `it has at most ${LONGEST} characters, and this has ${name.length}`;
  if (isBuiltin(name) || ['node_modules', 'favicon.ico', 'rllm-sdk'].includes(name))
    return 'that name is taken';
  return undefined;
}
