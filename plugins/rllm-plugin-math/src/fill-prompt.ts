import { RllmError } from 'rllm-sdk';

const FIELD = /\{([A-Za-z_]\w*)\}/g;

/** The fields that a prompt names. */
export function promptFields(prompt: string): readonly string[] {
  return [...prompt.matchAll(FIELD)].map(([, field = '']) => field);
}

/**
 * A prompt with each `{field}` replaced by that field of the row: texts as they are, else as JSON. Other braces stay, so `\boxed{}`
 * and `\frac{1}{2}` may stand in a prompt. Digits alone are no field.
 *
 * @throws RllmError DATASET_INVALID when the row does not have a field.
 */
export function fillPrompt(prompt: string, row: Readonly<Record<string, unknown>>): string {
  return prompt.replaceAll(FIELD, (_whole, field: string) => {
    const value = Object.hasOwn(row, field) ? row[field] : undefined;
    if (value === undefined || value === null) {
      throw new RllmError(
        'DATASET_INVALID',
        `The prompt names the field "${field}", and a task has ${Object.keys(row).join(', ') || 'no fields'}.`,
      );
    }
    return typeof value === 'string' ? value : JSON.stringify(value);
  });
}
