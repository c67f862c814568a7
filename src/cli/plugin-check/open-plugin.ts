import type { ConfigFault } from '../../config/index.js';
import { type App, constructClass, createApp } from '../../container/index.js';
import { messageOf, RllmError } from '../../errors.js';
import type { LoadedPlugin } from '../../plugin-host/index.js';
import type { CheckRule, Finding } from './check-rules.js';

/** A plugin in an app of its own. */
export interface OpenPlugin {
  readonly app: App;
  readonly plugin: LoadedPlugin;
  /** Makes an instance of a class as the app would: with what it asks for. */
  construct<T>(cls: abstract new (...args: never[]) => T): T;
}

export interface PluginToOpen {
  /** As a config would name it. */
  readonly use: string;
  /** Folder of that config. */
  readonly directory: string;
  readonly options: Readonly<Record<string, unknown>>;
  /** For findings: the file that it is about. */
  readonly file: string;
}

/** Loads a plugin as an app does, into an app that has no other. */
export async function openPlugin({
  use,
  directory,
  options,
  file,
}: PluginToOpen): Promise<{ readonly open: OpenPlugin | undefined; readonly findings: readonly Finding[] }> {
  let construct: OpenPlugin['construct'] | undefined;
  try {
    const app = await createApp(
      { plugins: [{ use, options }] },
      {
        baseDirectory: directory,
        run: null,
        useDeclared: false,
        override: (container) => {
          construct = (cls) => constructClass(container, cls);
        },
      },
    );
    const [plugin] = app.plugins;
    if (plugin === undefined || construct === undefined) throw new Error(`${use} is in no app`);
    return { open: { app, plugin, construct }, findings: [] };
  } catch (thrown) {
    return { open: undefined, findings: faultsOf(thrown).map((fault) => findingOf(fault, options, file)) };
  }
}

/** Faults of an app that could not be made; anything else is one. */
function faultsOf(thrown: unknown): readonly (ConfigFault & { readonly cause?: unknown })[] {
  const faults = RllmError.isInstance(thrown) ? thrown.details['faults'] : undefined;
  if (Array.isArray(faults)) return faults as readonly ConfigFault[];
  return [{ file: null, path: '', message: messageOf(thrown), cause: thrown }];
}

function findingOf(
  { path, message, cause }: ConfigFault & { readonly cause?: unknown },
  options: Readonly<Record<string, unknown>>,
  file: string,
): Finding {
  const isTaken = RllmError.isInstance(cause) && cause.code === 'DUPLICATE_NAME';
  // Options that were given are wrong; without any, they are only not known here.
  const isOptions = path.includes('.options') && Object.keys(options).length === 0;
  const rule: CheckRule = isTaken ? 'name-taken' : isOptions ? 'plugin-options' : 'plugin-loads';
  const hint = isOptions ? '; give it with --options, since nothing of the plugin was checked without' : '';
  const at = path.replace(/^plugins\[0\]\.?/, '');
  return { rule, message: `${at === '' ? '' : `${at}: `}${message}${hint}`, file };
}
