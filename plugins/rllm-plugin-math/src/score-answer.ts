import { RllmError } from 'rllm-sdk';
import { z } from 'zod';
import { extractAnswer, extractReference } from './extract-answer.js';
import { sameAnswer } from './same-answer.js';

/** How an answer is judged. */
export interface AnswerOptions {
  /** Field of the row that holds the right answer: a text, a number, or a list of which each will do. */
  readonly answerField: string;
  /** |given − right| ≤ tolerance · max(1, |right|); 0 asks for equality. */
  readonly tolerance: number;
}

export const answerFields: {
  readonly answerField: z.ZodDefault<z.ZodString>;
  readonly tolerance: z.ZodDefault<z.ZodNumber>;
} = {
  answerField: z.string().min(1).default('answer').describe('Field of the row that holds the right answer.'),
  tolerance: z
    .number()
    .nonnegative()
    .default(0)
    .describe('|given − right| ≤ tolerance · max(1, |right|); 0 asks for equality.'),
};

export const answerOptions: z.ZodType<AnswerOptions> = z.strictObject(answerFields);

/**
 * 1 when the answer in `reply` is (one of) the task's, else 0.
 *
 * @throws RllmError DATASET_INVALID when the row has no answer to compare with.
 */
export function scoreAnswer(
  reply: string,
  task: Readonly<Record<string, unknown>>,
  { answerField, tolerance }: AnswerOptions,
): 0 | 1 {
  const right = referencesOf(task, answerField);
  const given = extractAnswer(reply);
  if (given === undefined) return 0;
  return right.some((reference) => sameAnswer(given, reference, tolerance)) ? 1 : 0;
}

function referencesOf(task: Readonly<Record<string, unknown>>, field: string): readonly string[] {
  const value = Object.hasOwn(task, field) ? task[field] : undefined;
  const values: readonly unknown[] = Array.isArray(value) ? value : [value];
  const texts = values.filter((one) => typeof one === 'string' || typeof one === 'number').map(String);
  if (texts.length > 0 && texts.length === values.length && texts.every((text) => text.trim() !== '')) {
    return texts.map(extractReference);
  }
  throw new RllmError(
    'DATASET_INVALID',
    `The field "${field}" of a task must hold its answer, a text, a number or a list of them, and is ${JSON.stringify(value) ?? 'absent'}. The task has ${Object.keys(task).join(', ') || 'no fields'}.`,
  );
}
