import { RllmError } from '../errors.js';
import { type Check, fieldSentences, isObject, listOf, show, that } from '../field-checks.js';
import type { SamplingParams } from '../rollout/index.js';
import type { Message } from '../types/index.js';

const ROLES: readonly unknown[] = [
  'system',
  'user',
  'assistant',
  'tool',
] satisfies readonly Message['role'][];

const SAMPLING = {
  temperature: that((value) => Number.isFinite(value) && Number(value) >= 0, 'a number of at least 0'),
  topP: that(
    (value) => typeof value === 'number' && value > 0 && value <= 1,
    'a number above 0 and at most 1',
  ),
  maxTokens: that((value) => Number.isInteger(value) && Number(value) >= 1, 'a whole number of at least 1'),
  stop: listOf(that((value) => typeof value === 'string' && value !== '', 'a text that is not empty')),
  tools: listOf(
    that(
      (value) => isObject(value) && typeof value['name'] === 'string',
      'an object with a name and parameters',
    ),
  ),
} satisfies Record<keyof SamplingParams, Check>;

/**
 * Checks what a workflow without types need not give: messages that are some, and sampling that there is.
 *
 * @param call  how the message begins, for example `A model call of rollout 0 of task "a"`.
 * @throws RllmError WORKFLOW_FAILED that names the first message, or every setting, that is wrong.
 */
export function checkModelCall(call: string, messages: unknown, sampling: unknown): void {
  const wrong = messageProblem(messages) ?? samplingProblem(sampling);
  if (wrong === undefined) return;
  throw new RllmError('WORKFLOW_FAILED', `${call} cannot be made: ${wrong}`);
}

function messageProblem(messages: unknown): string | undefined {
  if (!Array.isArray(messages)) return `its messages must be a list, got ${show(messages)}.`;
  const i = messages.findIndex((one) => !isMessage(one));
  if (i === -1) return undefined;
  const one: unknown = messages[i];
  const got = isObject(one) ? `role ${show(one['role'])} and content ${show(one['content'])}` : show(one);
  return `its message ${i} needs a role (${ROLES.join(', ')}) and a content, a text; got ${got}.`;
}

function samplingProblem(sampling: unknown): string | undefined {
  const problems = sampling === undefined ? [] : fieldSentences(sampling, SAMPLING);
  return problems.length === 0 ? undefined : `in its sampling ${problems.join(' ')}`;
}

function isMessage(value: unknown): boolean {
  return isObject(value) && ROLES.includes(value['role']) && typeof value['content'] === 'string';
}
