import { mkdirSync, mkdtempSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

export interface Packages {
  /** With the packages in its `node_modules`, and the SDK and zod as links. */
  readonly folder: string;
  readonly names: readonly string[];
}

/** Ten plugin packages as they are published: a manifest with a peer range, options, an estimator, `setup`; no hooks. */
export function tenPackages(): Packages {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'rllm-bench-plugins-')));
  const modules = join(folder, 'node_modules');
  mkdirSync(modules);
  symlinkSync(ROOT, join(modules, 'rllm-sdk'));
  symlinkSync(join(ROOT, 'node_modules/zod'), join(modules, 'zod'));
  const names = Array.from({ length: 10 }, (_, i) => `rllm-plugin-bench-${i}`);
  for (const [i, name] of names.entries()) {
    mkdirSync(join(modules, name));
    const manifest = {
      ...{ name, version: '1.0.0', type: 'module', exports: './index.js' },
      peerDependencies: { 'rllm-sdk': '>=0.1.0' },
    };
    writeFileSync(join(modules, name, 'package.json'), JSON.stringify(manifest));
    writeFileSync(join(modules, name, 'index.js'), moduleText(name, i));
  }
  return { folder, names };
}

function moduleText(name: string, i: number): string {
  return `
    import { AdvEstimator, definePlugin } from 'rllm-sdk';
    import * as z from 'zod';
    const options = z.strictObject({ scale: z.number().positive().default(1) });
    export class Estimator${i} {
      estimate({ rewards, options }) {
        return { advantages: rewards.map((group) => group.map((reward) => options.scale * reward)) };
      }
    }
    AdvEstimator('bench_${i}', { options })(Estimator${i});
    export default definePlugin({ name: '${name}', apiVersion: 1, options, estimators: [Estimator${i}], setup() {} });
  `;
}
