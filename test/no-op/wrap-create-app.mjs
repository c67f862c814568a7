// A hook of Node's module loader: `createApp` of the built SDK is one that adds the plugin to the options it is given.
const PLUGIN = new URL('./no-op-plugin.mjs', import.meta.url).href;

export async function load(url, context, nextLoad) {
  if (!url.endsWith('/dist/container/create-app.js')) return nextLoad(url, context);
  const source = `
    import { HOOK_POINTS } from '../plugin-host/index.js';
    import { createApp as create } from './create-app.js?whole';
    import { withNoOp } from '${PLUGIN}';
    export const createApp = (input, options) => create(input, withNoOp(HOOK_POINTS, options));
  `;
  return { format: 'module', source, shortCircuit: true };
}
