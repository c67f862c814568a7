import { type NoOptions, type OptionsGiven, RewardFunction, type RewardScore } from 'rllm-sdk';
import { boxedAnswers } from './boxed-answers.js';
import { lastReply } from './last-reply.js';
import { type AnswerOptions, answerOptions, scoreAnswer } from './score-answer.js';

declare module 'rllm-sdk' {
  interface RewardOptionsMap {
    math_answer: OptionsGiven<AnswerOptions>;
    math_format: NoOptions;
  }
}

/** 1 when the last reply holds the right answer, else 0. */
export const mathAnswer: RewardScore<AnswerOptions> = RewardFunction('math_answer', {
  summary: '1 when the last reply holds the right answer (in a box, after ####, or its last number), else 0',
  options: answerOptions,
})(({ task, trajectory, options }) => scoreAnswer(lastReply(trajectory), task, options));

/** 1 when the last reply holds exactly one answer in a box, and it is not empty, else 0. */
export const mathFormat: RewardScore = RewardFunction('math_format', {
  summary: '1 when the last reply holds exactly one \\boxed{…} that is not empty, else 0',
})(({ trajectory }) => formatScore(lastReply(trajectory)));

export function formatScore(reply: string): 0 | 1 {
  const boxed = boxedAnswers(reply);
  return boxed.length === 1 && boxed[0] !== '' ? 1 : 0;
}
