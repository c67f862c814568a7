import * as z from 'zod';
import { bare } from './schema-at.js';

/** What a schema accepts, as a phrase: `a whole number of at least 1, or null`. */
export function expectedOf(schema: z.core.$ZodType): string {
  const { schema: inner, nullable, shorthand } = bare(schema);
  const phrase = shorthand ? 'a name or an object' : phraseOf(inner);
  return nullable ? `${phrase}, or null` : phrase;
}

function phraseOf(schema: z.core.$ZodType): string {
  const choices = choicesOf(schema);
  if (choices !== undefined) {
    const quoted = choices.map((choice) => JSON.stringify(choice)).join(', ');
    return choices.length === 1 ? quoted : `one of ${quoted}`;
  }
  if (schema instanceof z.ZodNumber) return `a ${schema.isInt ? 'whole ' : ''}number${rangeOf(schema)}`;
  if (schema instanceof z.ZodString) return schema.minLength === null ? 'a text' : 'a text that is not empty';
  if (schema instanceof z.ZodBoolean) return 'true or false';
  if (schema instanceof z.ZodArray) return `a list, each item ${expectedOf(schema.element)}`;
  return 'an object';
}

/** The texts a field chooses from; undefined for a field of another kind. */
export function choicesOf(schema: z.core.$ZodType): readonly string[] | undefined {
  const inner = bare(schema).schema;
  if (inner instanceof z.ZodEnum) return inner.options.map(String);
  return inner instanceof z.ZodLiteral ? [...inner.values].map(String) : undefined;
}

function rangeOf(schema: z.ZodNumber): string {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = z.toJSONSchema(schema);
  const upper = maximum === undefined || maximum >= Number.MAX_SAFE_INTEGER ? undefined : maximum;
  const lower = minimum === undefined || minimum <= Number.MIN_SAFE_INTEGER ? undefined : minimum;
  const bounds = [
    ...(lower === undefined ? [] : [`at least ${lower}`]),
    ...(exclusiveMinimum === undefined ? [] : [`above ${exclusiveMinimum}`]),
    ...(upper === undefined ? [] : [`at most ${upper}`]),
    ...(exclusiveMaximum === undefined ? [] : [`below ${exclusiveMaximum}`]),
  ];
  return bounds.length === 0 ? '' : ` of ${bounds.join(' and ')}`.replace(' of above', ' above');
}
