import type { PluginKind } from '../plugin-kinds.js';
import type { ScaffoldNames } from './scaffold-names.js';

/** The part of the SDK's own package.json that says what it is built and tested with. */
export interface SdkManifest {
  readonly version: string;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
}

/** With what a new plugin is built and tested: the versions that the SDK itself is. */
const TOOLS = ['@types/node', 'typescript', 'vitest'];

/** The package.json of a new plugin, for this version of the SDK. */
export function scaffoldManifest(
  { package: name }: ScaffoldNames,
  kind: PluginKind,
  sdk: SdkManifest,
): object {
  return {
    name,
    version: '0.1.0',
    description: `A plugin of rllm-sdk (${kind}).`,
    keywords: ['rllm', 'rllm-plugin'],
    license: 'UNLICENSED',
    type: 'module',
    engines: { node: '>=20.19' },
    exports: {
      '.': { types: './dist/index.d.ts', default: './dist/index.js' },
      './package.json': './package.json',
    },
    files: ['dist'],
    scripts: {
      build: 'tsc -p tsconfig.build.json',
      check: 'rllm plugins check .',
      prepack: 'npm run build',
      test: 'vitest run',
    },
    ...(kind === 'tracker' ? {} : { dependencies: { zod: sdk.dependencies['zod'] } }),
    peerDependencies: { 'rllm-sdk': `^${sdk.version}` },
    devDependencies: Object.fromEntries(
      [
        ...TOOLS.map((tool) => [tool, sdk.devDependencies[tool]] as const),
        ['rllm-sdk', sdk.version] as const,
      ].sort(),
    ),
  };
}
