import { definePlugin, type PluginDefinition } from 'rllm-sdk';
import { mathAnswer, mathFormat } from './math-rewards.js';
import { mathWorkflow } from './math-workflow.js';

export { boxedAnswers } from './boxed-answers.js';
export { canonicalAnswer } from './canonical-answer.js';
export { extractAnswer, extractReference } from './extract-answer.js';
export { DEFAULT_PROMPT, type MathExample, type MathOptions, mathOptions } from './math-options.js';
export { mathAnswer, mathFormat } from './math-rewards.js';
export { mathWorkflow } from './math-workflow.js';
export { type Fraction, readNumber } from './read-number.js';
export { sameAnswer } from './same-answer.js';
export { type AnswerOptions, answerOptions, scoreAnswer } from './score-answer.js';

const plugin: PluginDefinition = definePlugin({
  name: 'rllm-plugin-math',
  apiVersion: 1,
  workflows: [mathWorkflow],
  rewards: [mathAnswer, mathFormat],
});

export default plugin;
