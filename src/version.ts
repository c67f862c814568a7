import { readFileSync } from 'node:fs';

/** Version of this copy of the SDK, from its package.json; plugins' peer ranges are checked against it. */
export const SDK_VERSION: string = versionOf(new URL('../package.json', import.meta.url));

function versionOf(manifest: URL): string {
  const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { readonly version: string };
  return version;
}
