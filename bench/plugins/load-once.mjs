// A program for bench/plugins.ts: in a process of its own, imports the plugins of a folder (`import`), has an app load and install them
// (`load`), or makes an app without them (`none`). Prints wall and CPU milliseconds, the start of the process and of the SDK apart.
import { performance } from 'node:perf_hooks';
import { pathToFileURL } from 'node:url';
import 'zod';
import { createApp } from '../../dist/index.js';

const [, , mode, folder, ...names] = process.argv;

async function work() {
  if (mode === 'import') {
    for (const name of names) await import(pathToFileURL(`${folder}/node_modules/${name}/index.js`).href);
    return;
  }
  const plugins = mode === 'load' ? names : [];
  const app = await createApp({ plugins }, { baseDirectory: folder });
  if (app.plugins.length !== plugins.length) throw new Error(`${app.plugins.length} plugins`);
  await app.dispose();
}

const [start, before] = [performance.now(), process.cpuUsage()];
await work();
const [wall, { user, system }] = [performance.now() - start, process.cpuUsage(before)];
console.log(JSON.stringify({ wall, cpu: (user + system) / 1000 }));
