import * as z from 'zod';
import { choicesOf } from './expected.js';
import { bare } from './schema-at.js';

/**
 * The value that a flag or an environment variable means: JSON where it parses, else the text itself. A field that takes a
 * text keeps it, so that `--set trainer.experimentName=2` names an experiment.
 */
export function readText(text: string, schema: z.core.$ZodType | undefined): unknown {
  const value = parseJson(text);
  if (schema === undefined || !takesText(schema)) return value;
  return typeof value === 'string' || (value === null && bare(schema).nullable) ? value : text;
}

/** A text of a file after variables were put in: a number or a boolean where the field takes one, else the text. */
export function readInterpolated(text: string, schema: z.core.$ZodType | undefined): unknown {
  const inner = schema === undefined ? undefined : bare(schema).schema;
  const value = inner instanceof z.ZodNumber || inner instanceof z.ZodBoolean ? parseJson(text) : text;
  return typeof value === 'number' || typeof value === 'boolean' ? value : text;
}

function takesText(schema: z.core.$ZodType): boolean {
  return bare(schema).schema instanceof z.ZodString || choicesOf(schema) !== undefined;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
