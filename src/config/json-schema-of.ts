import type { StandardSchema } from '../standard-schema.js';
import type { Json } from '../types/index.js';

/** JSON Schema of what a schema takes, if it can say so. One with parts that JSON Schema has no words for says nothing. */
export function jsonSchemaOf(schema: StandardSchema | undefined): Json | undefined {
  try {
    const described = schema?.['~standard'].jsonSchema?.input({ target: 'draft-07' });
    return described === undefined ? undefined : JSON.parse(JSON.stringify(described));
  } catch {
    return undefined;
  }
}
