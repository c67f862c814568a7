import type { EstimatorDescriptor } from '../../advantage/index.js';
import type { Json } from '../../types/index.js';
import type { Paint } from '../paint.js';
import { tableLines } from './table-lines.js';

type JsonObject = { readonly [key: string]: Json };

/** What each estimator takes under `algorithm.estimatorOptions`, read off the JSON Schemas of their options. */
export function optionLines(estimators: readonly EstimatorDescriptor[], paint: Paint): readonly string[] {
  const rows = estimators.flatMap(({ name, options }) =>
    Object.entries(propertiesOf(options)).map(([option, schema]) => [
      `${name}.${option}`,
      typeText(schema),
      schema['default'] === undefined ? '' : JSON.stringify(schema['default']),
      typeof schema['description'] === 'string' ? schema['description'] : '',
    ]),
  );
  return rows.length === 0 ? [] : tableLines(['OPTION', 'TAKES', 'DEFAULT', 'MEANING'], rows, paint);
}

function propertiesOf(schema: Json | undefined): { readonly [name: string]: JsonObject } {
  const properties = isObject(schema) ? schema['properties'] : undefined;
  if (!isObject(properties)) return {};
  return Object.fromEntries(
    Object.entries(properties).map(([name, own]) => [name, isObject(own) ? own : {}]),
  );
}

/** `"group" | "batch"`, `number`, `integer ≥ 1`; nothing for what needs more words. */
function typeText(schema: JsonObject): string {
  const { anyOf, oneOf, type, minimum, exclusiveMinimum, maximum, exclusiveMaximum } = schema;
  const choices = anyOf ?? oneOf;
  if (Array.isArray(choices)) {
    return choices.map((choice) => (isObject(choice) ? typeText(choice) : '')).join(' | ');
  }
  if (Array.isArray(schema['enum'])) {
    return schema['enum'].map((value) => JSON.stringify(value)).join(' | ');
  }
  if (schema['const'] !== undefined) return JSON.stringify(schema['const']);
  const bounds: readonly (readonly [string, Json | undefined])[] = [
    ['≥', minimum],
    ['>', exclusiveMinimum],
    ['≤', maximum],
    ['<', exclusiveMaximum],
  ];
  const said = bounds.flatMap(([sign, bound]) =>
    typeof bound === 'number' && Math.abs(bound) < Number.MAX_SAFE_INTEGER ? [`${sign} ${bound}`] : [],
  );
  return [typeof type === 'string' ? type : '', said.join(', ')].filter((part) => part !== '').join(' ');
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
