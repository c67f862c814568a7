// npm run bench -- NAME [options]: runs bench/NAME.ts or bench/NAME.mjs against the built package.
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { createJiti } from 'jiti';

const at = (path) => fileURLToPath(new URL(path, import.meta.url));
const [name] = process.argv.slice(2);
const file = [`./${name}.ts`, `./${name}.mjs`].map(at).find(existsSync);

if (name === undefined || name === 'run' || file === undefined) {
  const known = readdirSync(at('.')).flatMap((entry) => /^(?!run\.)(.+)\.(?:ts|mjs)$/.exec(entry)?.[1] ?? []);
  console.error(`npm run bench -- NAME, with NAME one of: ${known.join(', ')}`);
  process.exit(2);
}
if (process.env.BENCH_BUILT !== '1') {
  execFileSync('npm', ['run', '--silent', 'build'], { cwd: at('..'), stdio: 'inherit' });
}
// What is measured is the built code, not the sources that the types come from.
await createJiti(import.meta.url, {
  alias: { '../src': at('../dist'), '../../src': at('../dist') },
  fsCache: false,
}).import(file);
