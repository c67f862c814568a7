import * as z from 'zod';
import type { Json } from '../types/index.js';
import { configSchema } from './config-schema.js';

const REFERENCE = { type: 'string', pattern: '\\$\\{[A-Za-z_]' } as const;
const NAME = { type: 'string', minLength: 1 } as const;

/**
 * JSON Schema (draft 7) of a config file, as `rllmrc.schema.json` holds it and editors read it. It accepts what the loader
 * accepts: bare names for plugins and backends, and references to the environment for numbers, booleans and choices.
 *
 * @param estimatorOptions  JSON Schema of each estimator's options, by name: what editors shall know of `algorithm.estimatorOptions`.
 */
export function configJsonSchema(estimatorOptions: Readonly<Record<string, Json>> = {}): Json {
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
      const known = jsonSchema.properties?.['estimatorOptions'];
      if (typeof known === 'object' && Object.keys(estimatorOptions).length > 0) {
        Object.assign(known, { properties: estimatorOptions });
      }
    },
  });
  return JSON.parse(JSON.stringify({ title: 'rllm configuration', ...schema }));
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
