import type { OptionsGiven } from 'rllm-sdk';
import { z } from 'zod';
import { promptFields } from './fill-prompt.js';
import { type AnswerOptions, answerFields } from './score-answer.js';

declare module 'rllm-sdk' {
  interface WorkflowOptionsMap {
    math: OptionsGiven<MathOptions>;
  }
}

/** A question that is shown with its answer, before the task's own. */
export interface MathExample {
  readonly question: string;
  readonly answer: string;
}

/** `workflow.options` of the workflow `math`. */
export interface MathOptions extends AnswerOptions {
  /** Name of the role, by which estimators and rewards are chosen. */
  readonly role: string;
  /** First message of the conversation; `null` for none. */
  readonly system: string | null;
  /** The user's message; `{field}` stands for a field of the row. */
  readonly prompt: string;
  /** Shown before the task, in this order: the question by the same prompt, the answer as the model's reply. */
  readonly examples: readonly MathExample[];
  /** Field of the row that `{question}` of examples stands for. */
  readonly questionField: string;
}

export const DEFAULT_PROMPT: string =
  '{question}\n\nReason step by step, and put the final answer in \\boxed{}.';

export const mathOptions: z.ZodType<MathOptions> = z
  .strictObject({
    role: z.string().min(1).default('solver').describe('Name of the role.'),
    system: z.string().min(1).nullable().default(null).describe('First message of the conversation.'),
    prompt: z
      .string()
      .default(DEFAULT_PROMPT)
      .describe("The user's message; {field} stands for a field of the row."),
    questionField: z
      .string()
      .regex(/^\w+$/)
      .default('question')
      .describe('Field of the row that holds the question.'),
    examples: z
      .array(z.strictObject({ question: z.string(), answer: z.string() }))
      .default([])
      .describe('Questions that are shown with their answers before the task.'),
    ...answerFields,
  })
  .superRefine(({ prompt, questionField, examples }, context) => {
    const issue = (message: string): void => context.addIssue({ code: 'custom', path: ['prompt'], message });
    const fields = promptFields(prompt);
    if (!fields.includes(questionField)) {
      issue(`the question is not in the prompt: write {${questionField}} where it shall stand`);
    }
    const other = fields.find((field) => field !== questionField);
    if (examples.length > 0 && other !== undefined) {
      issue(`{${other}} is a field of rows, and examples have a question and an answer alone`);
    }
  });
