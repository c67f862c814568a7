import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { tinkerOptionsSchema } from '../src/backend/tinker-options.js';

const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
const defaults = tinkerOptionsSchema.parse({ model: 'm', tokenizer: 't' });

/** Names in the first column of the table of options. */
const rows = readme
  .slice(readme.indexOf('## Options'), readme.indexOf('From the rest of the config'))
  .split('\n')
  .filter((line) => line.startsWith('| `'))
  .flatMap((line) => [...line.split('|')[1]!.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name));

test('the README names every option and no other', () => {
  const { lora, ...rest } = defaults;
  const names = [...Object.keys(rest), ...Object.keys(lora)];
  expect(rows.map((name) => name.replace(/^lora\./, '')).sort()).toEqual(names.sort());
});

test('the configs of the README are valid', () => {
  const configs = [...readme.matchAll(/```json\n([\s\S]*?)```/g)].map(
    ([, text = '']) => JSON.parse(text) as { backend: { options: { tinker: unknown } } },
  );
  expect(configs.length).toBeGreaterThan(1);
  for (const { backend } of configs) {
    expect(tinkerOptionsSchema.safeParse(backend.options.tinker).error).toBeUndefined();
  }
});
