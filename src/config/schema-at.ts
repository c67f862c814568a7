import * as z from 'zod';
import type { ConfigPath } from './config-path.js';
import { configSchema } from './config-schema.js';
import { childOf, valueAt } from './plain-tree.js';

/** A schema without its wrappers (defaults, null, shorthands). */
export interface BareSchema {
  readonly schema: z.core.$ZodType;
  readonly nullable: boolean;
  /** A bare name may stand for the object. */
  readonly shorthand: boolean;
}

export function bare(schema: z.core.$ZodType, nullable = false, shorthand = false): BareSchema {
  if (schema instanceof z.ZodNullable) return bare(schema.unwrap(), true, shorthand);
  if (schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault || schema instanceof z.ZodOptional) {
    return bare(schema.unwrap(), nullable, shorthand);
  }
  if (schema instanceof z.ZodPipe) {
    return schema.in instanceof z.ZodTransform
      ? bare(schema.out, nullable, true)
      : bare(schema.in, nullable, shorthand);
  }
  return { schema, nullable, shorthand };
}

/** Keys that an object may have; undefined for records, lists and leaves. */
export function fieldsOf(schema: z.core.$ZodType): readonly string[] | undefined {
  const inner = bare(schema).schema;
  if (inner instanceof z.ZodDiscriminatedUnion) {
    return [...new Set(inner.options.flatMap((kind) => fieldsOf(kind) ?? []))];
  }
  return inner instanceof z.ZodObject ? Object.keys(inner.shape) : undefined;
}

/** Of objects that come in kinds: the field that tells them apart takes any kind's name, and another is the first kind's that has it. */
function fieldOfAnyKind(union: z.ZodDiscriminatedUnion, key: string): z.core.$ZodType | undefined {
  const fields = union.options.map((kind) => schemaOfChild(kind, key)).filter((field) => field !== undefined);
  const names = fields.flatMap((field) => (field instanceof z.ZodLiteral ? [...field.values] : []));
  return names.length > 1 ? z.literal(names) : fields[0];
}

/** Schema of one field, one value of a record, one item of a list; undefined where there can be none. */
export function schemaOfChild(schema: z.core.$ZodType, key: string): z.core.$ZodType | undefined {
  const inner = bare(schema).schema;
  if (inner instanceof z.ZodObject) return Object.hasOwn(inner.shape, key) ? inner.shape[key] : undefined;
  if (inner instanceof z.ZodDiscriminatedUnion) return fieldOfAnyKind(inner, key);
  if (inner instanceof z.ZodRecord) return inner.valueType;
  if (inner instanceof z.ZodArray) return inner.element;
  return inner instanceof z.ZodUnknown ? inner : undefined;
}

/** @param tree  a configuration, which tells of what kind an object is that comes in kinds. */
export function schemaAt(path: ConfigPath, tree?: unknown): z.core.$ZodType | undefined {
  let schema: z.core.$ZodType | undefined = configSchema;
  for (const key of path) {
    if (schema === undefined) return undefined;
    schema = schemaOfChild(schema, key);
  }
  return schema === undefined || tree === undefined ? schema : kindOf(schema, valueAt(tree, path));
}

/** The kind that a value says it is; the schema itself where there are no kinds, or the value names none. */
function kindOf(schema: z.core.$ZodType, value: unknown): z.core.$ZodType {
  const union = bare(schema).schema;
  if (!(union instanceof z.ZodDiscriminatedUnion)) return schema;
  const { discriminator } = union.def;
  const named = union.options.find((kind) => {
    const tag = schemaOfChild(kind, discriminator);
    return (
      tag instanceof z.ZodLiteral && [...tag.values].some((name) => name === childOf(value, discriminator))
    );
  });
  return named ?? schema;
}

/** Paths of every section and field, in the order of the schema. */
export function knownPaths(
  schema: z.core.$ZodType = configSchema,
  path: ConfigPath = [],
): readonly ConfigPath[] {
  const fields = (fieldsOf(schema) ?? []).filter((field) => field !== '$schema');
  return fields.flatMap((field) => {
    const child = schemaOfChild(schema, field);
    const inner = [...path, field];
    return child === undefined ? [] : [inner, ...knownPaths(child, inner)];
  });
}
