import { vi } from 'vitest';
import { HOOK_POINTS } from '../../src/plugin-host/hook-points.js';
import { withNoOp } from './no-op-plugin.mjs';

// Apps of the test's own process, whether it imports the container, the command line or the package.
vi.mock('../../src/container/create-app.js', async (importOriginal) => {
  const { createApp } = await importOriginal<typeof import('../../src/container/create-app.js')>();
  const withPlugin: typeof createApp = (input, options) => createApp(input, withNoOp(HOOK_POINTS, options));
  return { createApp: withPlugin };
});

// Apps of the programs that it starts.
const before = process.env['NODE_OPTIONS'] ?? '';
process.env['NODE_OPTIONS'] = `${before} --import=${new URL('./built-apps.mjs', import.meta.url).href}`;
