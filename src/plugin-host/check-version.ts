import satisfies from 'semver/functions/satisfies.js';
import validRange from 'semver/ranges/valid.js';
import type { PluginManifest } from './resolve-plugin.js';

/** What stands before a range that a workspace tool fills in when it publishes. */
const WORKSPACE = /^(?:workspace|file|link|portal):/;

/**
 * Says why a package was not made for this version of the SDK, as the end of a sentence, or nothing. It reads the peer range
 * of the package's manifest, so that a package for another version never runs.
 */
export function whyWrongVersion(manifest: PluginManifest | undefined, version: string): string | undefined {
  const range = manifest?.peerDependencies?.['rllm-sdk'];
  if (range === undefined || WORKSPACE.test(range)) return undefined;
  if (validRange(range) === null) return `asks for rllm-sdk "${range}", which is no version range`;
  if (satisfies(version, range, { includePrerelease: true })) return undefined;
  return `was made for rllm-sdk ${range}, and this is ${version}`;
}
