// A plugin that does nothing, at every point at which a plugin may be called. In plain JavaScript, since the built program takes it too.
import { appendFileSync } from 'node:fs';

export const NO_OP = 'rllm-plugin-no-op';

/** Options of `createApp` with the plugin after all others; each app gets one of its own. Plugins that are no list are left alone. */
export function withNoOp(hookPoints, options = {}) {
  const { plugins = [] } = options;
  return Array.isArray(plugins) ? { ...options, plugins: [...plugins, noOpPlugin(hookPoints)] } : options;
}

function noOpPlugin(hookPoints) {
  const calls = {};
  const count = (point) => () => {
    calls[point] = (calls[point] ?? 0) + 1;
  };
  return {
    name: NO_OP,
    apiVersion: 1,
    hooks: Object.fromEntries(hookPoints.map((point) => [point, count(point)])),
    setup({ onDispose }) {
      count('setup')();
      onDispose(() => {
        const file = process.env.NO_OP_CALLS;
        if (file !== undefined) appendFileSync(file, `${JSON.stringify(calls)}\n`);
      });
    },
  };
}
