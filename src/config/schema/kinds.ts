import * as z from 'zod';

/** One schema per field of a section: a field too many or too few does not compile. */
export type ShapeOf<Section> = { readonly [Field in keyof Section]-?: z.ZodType<Section[Field]> };

/** A name or path; never empty. */
export const name: z.ZodString = z.string().min(1);

/** A whole number of at least 1. */
export const positiveInt: z.ZodInt = z.int().min(1);

/** A whole number of at least 0. */
export const nonNegativeInt: z.ZodInt = z.int().min(0);

/** A number from 0 to 1, both included. */
export const ratio: z.ZodNumber = z.number().min(0).max(1);

/** A number of at least 0. */
export const nonNegative: z.ZodNumber = z.number().min(0);

/** A number greater than 0. */
export const positive: z.ZodNumber = z.number().gt(0);

/** Milliseconds that a Node timer can wait; it fires at once for more than 2³¹ − 1. */
export const delayMs: z.ZodInt = z.int().min(0).max(2_147_483_647);

/** One part of a folder's path. */
export const folderName: z.ZodString = z
  .string()
  .regex(/^(?!\.{1,2}$)[^/\\:*?"<>|\p{Cc}]+$/u, 'a name that can be a folder, without / or other separators');

/** Name by role. */
export const nameByRole: z.ZodRecord<z.ZodString, z.ZodString> = z.record(name, name);

/** Options that only their reader knows; validated by it. */
export const openOptions: z.ZodRecord<z.ZodString, z.ZodUnknown> = z.record(z.string(), z.unknown());
