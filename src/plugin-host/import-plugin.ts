import { pathToFileURL } from 'node:url';

export type PluginModule = Readonly<Record<string, unknown>>;

// In a variable, since a package that imports itself by its name would otherwise type-check against its own build.
const SDK = 'rllm-sdk';
const SDK_TESTING = 'rllm-sdk/testing';

/**
 * Evaluates a plugin's file. TypeScript goes through jiti (legacy decorators with metadata), and its imports of the SDK are
 * this very instance; everything else goes through Node's own import, CommonJS included.
 */
export async function importPlugin(url: string, directory: string): Promise<PluginModule> {
  if (!/\.[cm]?ts$/.test(url)) return asModule(await import(/* @vite-ignore */ url));
  const [{ createJiti }, sdk, testing] = await Promise.all([
    import('jiti'),
    import(/* @vite-ignore */ SDK),
    import(/* @vite-ignore */ SDK_TESTING),
  ]);
  const jiti = createJiti(pathToFileURL(`${directory}/`).href, {
    interopDefault: false,
    fsCache: false,
    virtualModules: { [SDK]: sdk, [SDK_TESTING]: testing },
  });
  return asModule(await jiti.import(url));
}

/** `export = x` under jiti gives `x` itself, and `x` may be a definition. */
function asModule(loaded: unknown): PluginModule {
  const isNamespace =
    typeof loaded === 'object' && loaded !== null && ('default' in loaded || !('apiVersion' in loaded));
  return isNamespace ? (loaded as PluginModule) : { default: loaded };
}
