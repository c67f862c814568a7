import * as z from 'zod';
import type { Json } from '../types/index.js';
import { configSchema } from './config-schema.js';
import { type KnownParts, nameParts } from './known-parts.js';

const REFERENCE = { type: 'string', pattern: '\\$\\{[A-Za-z_]' } as const;
const NAME = { type: 'string', minLength: 1 } as const;

/**
 * JSON Schema (draft 7) of a config file, as `rllmrc.schema.json` holds it and editors read it. It accepts what the loader
 * accepts: bare names for plugins, backends, reward functions and files of data, and references to the environment for numbers,
 * booleans and choices.
 *
 * @param known  parts that editors shall know by their names and options; none by default.
 */
export function configJsonSchema(known: KnownParts = {}): Json {
  const schema = z.toJSONSchema(configSchema, {
    io: 'input',
    target: 'draft-7',
    override: ({ zodSchema, jsonSchema }) => {
      if (zodSchema instanceof z.ZodNumber || zodSchema instanceof z.ZodBoolean)
        orElse(jsonSchema, REFERENCE);
      if (zodSchema instanceof z.ZodEnum || zodSchema instanceof z.ZodLiteral) orElse(jsonSchema, REFERENCE);
      if (zodSchema instanceof z.ZodNullable && Array.isArray(jsonSchema.anyOf)) {
        jsonSchema.anyOf = jsonSchema.anyOf.flatMap((choice) => choice.anyOf ?? choice.oneOf ?? [choice]);
      }
      if (zodSchema instanceof z.ZodPipe && zodSchema.in instanceof z.ZodTransform) orElse(jsonSchema, NAME);
    },
  });
  const plain = JSON.parse(JSON.stringify({ title: 'rllm configuration', ...schema }));
  nameParts(plain, known);
  return plain;
}

type JsonSchema = z.core.JSONSchema.BaseSchema;

/** Makes a schema in place accept what it accepts, or the alternative. */
function orElse(schema: JsonSchema, alternative: JsonSchema): void {
  const { default: fallback, description, ...rest } = schema;
  if (rest.maximum === Number.MAX_SAFE_INTEGER) delete rest.maximum;
  for (const key of Object.keys(schema)) delete schema[key];
  Object.assign(schema, {
    ...(fallback === undefined ? {} : { default: fallback }),
    ...(description === undefined ? {} : { description }),
    anyOf: [rest, alternative],
  });
}
