import { describe, expect, test } from 'vitest';
import { RllmError } from '../../src/errors.js';
import { createStep, type Message, type ModelOutput, type StepInit } from '../../src/types/index.js';

const output: ModelOutput = {
  text: '<think>4?</think> 4',
  content: '4',
  promptIds: [1, 2],
  completionIds: [7, 8, 9],
  logprobs: [-0.5, -0.25, 0],
  finishReason: 'stop',
  weightVersion: 3,
};

const codeOf = (run: () => unknown): string => {
  try {
    run();
  } catch (thrown) {
    if (RllmError.isInstance(thrown)) return thrown.code;
  }
  return 'nothing was thrown';
};

describe('createStep', () => {
  test('fills every field that is not optional', () => {
    const { id, ...rest } = createStep();
    expect(id).toMatch(/^[0-9a-f-]{36}$/);
    expect(rest).toStrictEqual({
      promptIds: [],
      responseIds: [],
      logprobs: [],
      chatCompletions: [],
      modelResponse: '',
      reward: 0,
      done: false,
      mcReturn: 0,
      info: {},
    });
  });

  test('takes tokens, log-probs, text and weight version from the model output', () => {
    expect(createStep({ modelOutput: output })).toMatchObject({
      promptIds: [1, 2],
      responseIds: [7, 8, 9],
      logprobs: [-0.5, -0.25, 0],
      modelResponse: '<think>4?</think> 4',
      weightVersion: 3,
    });
  });

  test('keeps what is given and fills only what is empty', () => {
    const step = createStep({ promptIds: [5], logprobs: [], modelResponse: 'mine', modelOutput: output });
    expect(step).toMatchObject({ promptIds: [5], logprobs: [-0.5, -0.25, 0], modelResponse: 'mine' });
  });

  test('leaves an advantage that nobody set absent', () => {
    expect('advantage' in createStep({ modelOutput: output })).toBe(false);
    expect(createStep({ advantage: 0 }).advantage).toBe(0);
  });

  test('does not see later changes of the messages', () => {
    const call = { id: 'c', name: 'look', arguments: { where: ['here'] } };
    const messages: Message[] = [{ role: 'assistant', content: '', toolCalls: [call] }];
    const step = createStep({ chatCompletions: messages });
    call.arguments.where.push('there');
    messages.push({ role: 'user', content: 'go on' });
    expect(step.chatCompletions).toStrictEqual([
      {
        role: 'assistant',
        content: '',
        toolCalls: [{ id: 'c', name: 'look', arguments: { where: ['here'] } }],
      },
    ]);
  });

  test.each<[string, StepInit]>([
    ['fewer log-probs than response tokens', { responseIds: [1, 2], logprobs: [-1] }],
    ['log-probs without response tokens', { logprobs: [-1] }],
    ['a log-prob that is not a number', { responseIds: [1], logprobs: [Number.NaN] }],
    ['a log-prob that is infinite', { responseIds: [1], logprobs: [Number.NEGATIVE_INFINITY] }],
    ['other tokens than the model gave log-probs for', { responseIds: [1], modelOutput: output }],
  ])('refuses %s', (_, init) => {
    expect(codeOf(() => createStep(init))).toBe('STEP_MALFORMED');
  });

  test('names the step and both lengths when it refuses', () => {
    expect(() => createStep({ id: 's1', responseIds: [1, 2], logprobs: [-1] })).toThrow(
      'The step "s1" is malformed: 1 log-probs for 2 response tokens.',
    );
  });

  test('refuses data that refers to itself, instead of recursing for ever', () => {
    const info: Record<string, unknown> = {};
    Object.assign(info, { self: info });
    expect(codeOf(() => createStep({ info }))).toBe('STEP_MALFORMED');
  });
});
