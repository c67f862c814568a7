// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references to the environment are written so.
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { configJsonSchema, DEFAULT_CONFIG, redact } from '../../src/config/index.js';

const root = new URL('../../', import.meta.url);
const schema = configJsonSchema() as Schema;

/** The keywords that the generated schema uses. */
interface Schema {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly exclusiveMaximum?: number;
  readonly minLength?: number;
  readonly pattern?: string;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema | false;
  readonly propertyNames?: Schema;
  readonly description?: string;
  readonly default?: unknown;
  readonly title?: string;
  readonly $schema?: string;
}

const KEYWORDS =
  'type enum const anyOf minimum maximum exclusiveMinimum exclusiveMaximum minLength pattern items properties required additionalProperties propertyNames description default title $schema'.split(
    ' ',
  );

function accepts(node: Schema, value: unknown): boolean {
  const unknown = Object.keys(node).filter((key) => !KEYWORDS.includes(key));
  if (unknown.length > 0) throw new Error(`this validator does not know ${unknown.join(', ')}`);
  if (node.anyOf !== undefined && !node.anyOf.some((choice) => accepts(choice, value))) return false;
  if (node.enum !== undefined && !node.enum.includes(value)) return false;
  if ('const' in node && node.const !== value) return false;
  if (
    node.type !== undefined &&
    node.type !== typeOf(value) &&
    !(node.type === 'number' && typeOf(value) === 'integer')
  )
    return false;
  if (typeof value === 'number') {
    return (
      value >= (node.minimum ?? value) &&
      value <= (node.maximum ?? value) &&
      (node.exclusiveMinimum === undefined || value > node.exclusiveMinimum) &&
      (node.exclusiveMaximum === undefined || value < node.exclusiveMaximum)
    );
  }
  if (typeof value === 'string')
    return value.length >= (node.minLength ?? 0) && new RegExp(node.pattern ?? '', 'u').test(value);
  if (Array.isArray(value)) return value.every((item) => accepts(node.items ?? {}, item));
  if (typeof value !== 'object' || value === null) return true;
  const fields = new Map(Object.entries(value));
  return (
    (node.required ?? []).every((key) => fields.has(key)) &&
    [...fields].every(([key, field]) => {
      const child = node.properties?.[key] ?? node.additionalProperties ?? {};
      return child !== false && accepts(child, field) && accepts(node.propertyNames ?? {}, key);
    })
  );
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return Number.isInteger(value) ? 'integer' : typeof value;
}

/** Every schema of a field, with its path. */
function fieldsOf(node: Schema, path: readonly string[] = []): readonly (readonly [string, Schema])[] {
  const below = Object.entries(node.properties ?? {}).flatMap(([key, child]) => {
    const inner = [...path, key];
    return [[inner.join('.'), child] as const, ...fieldsOf(child, inner)];
  });
  return [...below, ...(node.anyOf ?? []).flatMap((choice) => fieldsOf(choice, path))];
}

test('rllmrc.schema.json is what the generator makes', () => {
  const onDisk = readFileSync(new URL('rllmrc.schema.json', root), 'utf8');
  expect(onDisk).toBe(`${JSON.stringify(configJsonSchema(), null, 2)}\n`);
});

test('the example is valid', () => {
  const example: unknown = JSON.parse(readFileSync(new URL('rllmrc.example.json', root), 'utf8'));
  expect(accepts(schema, example)).toBe(true);
});

describe('the schema accepts', () => {
  test.each([
    ['nothing at all', {}],
    ['every default', redact(DEFAULT_CONFIG)],
    ['its own address', { $schema: './rllmrc.schema.json' }],
    ['bare names', { plugins: ['a', { use: 'b', options: { x: 1 } }], backend: 'local' }],
    ['null where it means unset', { workflow: { timeoutMs: null }, trainer: { stopWhen: null } }],
    [
      'references to the environment',
      {
        trainer: { seed: '${SEED}' },
        data: { shuffle: '${S:-true}' },
        algorithm: { lrSchedule: '${L}', learningRate: '${R}' },
      },
    ],
  ])('%s', (_, input) => {
    expect(accepts(schema, input)).toBe(true);
  });
});

describe('the schema refuses', () => {
  test.each([
    ['an unknown section', { algoritm: {} }],
    ['an unknown field', { algorithm: { adam: { beta3: 1 } } }],
    ['an unknown field of a plugin', { plugins: [{ use: 'a', option: {} }] }],
    ['a plugin without a name', { plugins: [{ options: {} }] }],
    ['an empty name', { backend: '' }],
    ['a number out of range', { rollout: { n: 0 } }],
    ['a text for a number', { rollout: { n: '8' } }],
    ['a choice that is none', { algorithm: { lrSchedule: 'exp' } }],
    ['a refused mode', { algorithm: { stepwiseAdvantageMode: 'per_step' } }],
    ['null where it means nothing', { trainer: { seed: null } }],
  ])('%s', (_, input) => {
    expect(accepts(schema, input)).toBe(false);
  });
});

test('every field has a description and no object takes other keys', () => {
  for (const [path, field] of fieldsOf(schema)) {
    expect(field.description, path).toMatch(/\S/);
    for (const node of [field, ...(field.anyOf ?? [])]) {
      if (node.properties !== undefined) expect(node.additionalProperties, path).toBe(false);
    }
  }
});
