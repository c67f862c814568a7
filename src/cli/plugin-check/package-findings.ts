import valid from 'semver/functions/valid.js';
import { whyWrongVersion } from '../../plugin-host/index.js';
import type { CheckRule, Finding } from './check-rules.js';
import type { PackageEntry } from './resolve-entry.js';

/** The part of a package.json that is looked at; whatever the file holds. */
export type PackageJson = Readonly<Record<string, unknown>>;

export interface PackageFacts {
  readonly manifest: PackageJson;
  /** Its entry for `import` and for `require`. */
  readonly entry: PackageEntry;
  /** Paths of what `npm pack` puts into the package; null where npm could not be asked. */
  readonly packed: readonly string[] | null;
  /** Version of the SDK that is running. */
  readonly sdkVersion: string;
}

/** What a package needs so that others can install it and the SDK can load it. */
export function packageFindings(facts: PackageFacts): readonly Finding[] {
  const { manifest, packed } = facts;
  const findings: Finding[] = [];
  const add = (rule: CheckRule, message: string, file: string = 'package.json'): void =>
    void findings.push({ rule, message, file });

  const { version, keywords, license } = manifest;
  if (typeof version !== 'string' || valid(version) === null) {
    add('package-version', `version is ${shown(version)}, and a version such as 0.1.0 is needed`);
  }
  if (!Array.isArray(keywords) || !keywords.includes('rllm-plugin')) {
    add('package-keyword', 'keywords lacks "rllm-plugin", by which plugins are found');
  }
  if (typeof license !== 'string' || license === '') {
    add('package-license', 'license is missing: nobody may use the package ("UNLICENSED" says so openly)');
  }
  if (packed === null) {
    add(
      'package-unpacked',
      'npm could not be asked what it would pack, so that nobody looked for what is missing',
    );
  } else if (!packed.some((path) => /^readme(\.|$)/i.test(path))) {
    add(
      'package-readme',
      'there is no README: say what it brings, its options, and what to write into the config',
    );
  }
  findings.push(...entryFindings(facts), ...sdkFindings(facts));
  return findings;
}

function entryFindings({ entry, packed }: PackageFacts): readonly Finding[] {
  const findings: Finding[] = [];
  for (const [how, found] of [
    ['import', entry.import],
    ['require', entry.require],
  ] as const) {
    if (found.problem !== undefined) {
      const message = `${how} of the package ${found.problem}`;
      findings.push({ rule: 'package-entry', message, file: 'package.json' });
    }
  }
  const missing = [...new Set([entry.import.path, entry.require.path, entry.types])].filter(
    (path) => path !== undefined && packed !== null && !packed.includes(path),
  );
  for (const path of missing) {
    const message = `${path} is not packed: add its folder to "files", and build before you pack`;
    findings.push({ rule: 'package-files', message, file: 'package.json' });
  }
  if (entry.types === undefined) {
    const message =
      'there are no types: build with "declaration", and name them in exports as "types", first';
    findings.push({ rule: 'package-types', message, file: 'package.json' });
  }
  return findings;
}

function sdkFindings({ manifest, sdkVersion }: PackageFacts): readonly Finding[] {
  const findings: Finding[] = [];
  const add = (rule: CheckRule, message: string): void =>
    void findings.push({ rule, message, file: 'package.json' });
  const range = fieldOf(manifest['peerDependencies'], 'rllm-sdk');
  if (fieldOf(manifest['dependencies'], 'rllm-sdk') !== undefined) {
    add(
      'sdk-peer',
      'rllm-sdk is a dependency, which installs a second copy of it; make it a peer dependency',
    );
  }
  if (typeof range !== 'string') {
    add(
      'sdk-peer',
      `peerDependencies lacks "rllm-sdk": "^${sdkVersion}", by which a wrong version is refused`,
    );
    return findings;
  }
  const name = String(manifest['name']);
  const wrong = whyWrongVersion({ name, peerDependencies: { 'rllm-sdk': range } }, sdkVersion);
  if (wrong !== undefined) add('sdk-range', `the package ${wrong}`);
  return findings;
}

function fieldOf(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key)
    ? Reflect.get(value, key)
    : undefined;
}

function shown(value: unknown): string {
  return value === undefined ? 'missing' : JSON.stringify(value);
}
