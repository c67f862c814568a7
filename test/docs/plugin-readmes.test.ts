import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { earlyStopOptions } from '../../plugins/rllm-plugin-early-stop/src/index.js';
import { answerOptions, mathOptions } from '../../plugins/rllm-plugin-math/src/index.js';
import { openaiOptions } from '../../plugins/rllm-plugin-openai/src/index.js';
import { parquetOptions } from '../../plugins/rllm-plugin-parquet/src/index.js';
import { tensorBoardOptions } from '../../plugins/rllm-plugin-tensorboard/src/index.js';
import { resolveConfig } from '../../src/config/index.js';
import { ROOT } from '../cli/project.js';
import { snippetsOf } from './snippets.js';

const PLUGINS = readdirSync(join(ROOT, 'plugins')).filter((name) =>
  existsSync(join(ROOT, 'plugins', name, 'README.md')),
);

const readmeOf = (name: string): string => readFileSync(join(ROOT, 'plugins', name, 'README.md'), 'utf8');

describe.each(PLUGINS.filter((name) => name.startsWith('rllm-plugin-')))('the README of %s', (name) => {
  const readme = readmeOf(name);
  const configs = snippetsOf(readme).filter(({ language }) => language === 'json');

  test('says how to install it, and shows a config that names it', () => {
    expect(readme).toContain(`npm install ${name}`);
    expect(configs.some(({ text }) => text.includes(name))).toBe(true);
  });

  test('shows configs that are valid', () => {
    for (const { text } of configs) expect(() => resolveConfig(JSON.parse(text))).not.toThrow();
  });
});

test.each([
  { name: 'rllm-plugin-early-stop', schemas: [earlyStopOptions] },
  { name: 'rllm-plugin-math', schemas: [mathOptions, answerOptions] },
  { name: 'rllm-plugin-openai', schemas: [openaiOptions] },
  { name: 'rllm-plugin-parquet', schemas: [parquetOptions] },
  { name: 'rllm-plugin-tensorboard', schemas: [tensorBoardOptions] },
])('the README of $name has a row for every option', ({ name, schemas }) => {
  const rows = readmeOf(name)
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) => line.split('|')[1] ?? '');
  const told = new Set(rows.flatMap((cell) => [...cell.matchAll(/`(\w+)`/g)].map(([, option]) => option)));
  const options = schemas.flatMap((schema) =>
    Object.keys(z.toJSONSchema(schema, { io: 'input' }).properties ?? {}),
  );
  expect(options.length).toBeGreaterThan(0);
  expect(options.filter((option) => !told.has(option))).toEqual([]);
});
