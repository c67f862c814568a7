import type { ModelOutput } from '../types/index.js';
import { expectThat } from './contract-values.js';

/** Log-probs of equal tokens under equal weights may differ by this much: what batching does to float32. */
const TOLERANCE = 1e-4;

const FINISH_REASONS: readonly ModelOutput['finishReason'][] = ['stop', 'length', 'tool_calls', 'abort'];

/** @throws Error when tokens, log-probs, text or finish reason are not those of a completion. */
export function expectSound(output: ModelOutput, hasLogprobs: boolean): void {
  const { completionIds, logprobs, promptIds, finishReason, text, content } = output;
  expectThat(typeof text === 'string' && typeof content === 'string', 'text and content are not both texts');
  expectThat(FINISH_REASONS.includes(finishReason), `its finish reason is ${String(finishReason)}`);
  for (const id of [...promptIds, ...completionIds]) {
    expectThat(Number.isSafeInteger(id) && id >= 0, `a token id is ${id}`);
  }
  const expected = hasLogprobs ? completionIds.length : 0;
  expectThat(logprobs.length === expected, `${completionIds.length} tokens got ${logprobs.length} log-probs`);
  for (const logprob of logprobs) {
    expectThat(Number.isFinite(logprob) && logprob <= 0, `a log-prob is ${logprob}`);
  }
}

/** @throws Error when tokens or texts differ, or log-probs by more than float32 explains. */
export function expectSameOutputs(
  got: readonly ModelOutput[],
  expected: readonly ModelOutput[],
  when: string,
): void {
  expectThat(areSame(got, expected), `${when}: ${shown(got)} instead of ${shown(expected)}`);
}

function areSame(got: readonly ModelOutput[], expected: readonly ModelOutput[]): boolean {
  return (
    got.length === expected.length &&
    got.every((output, i) => {
      const other = expected[i];
      return (
        other !== undefined &&
        output.text === other.text &&
        output.completionIds.length === other.completionIds.length &&
        output.completionIds.every((id, t) => id === other.completionIds[t]) &&
        output.logprobs.every(
          (logprob, t) => Math.abs(logprob - (other.logprobs[t] ?? Number.NaN)) <= TOLERANCE,
        )
      );
    })
  );
}

function shown(outputs: readonly ModelOutput[]): string {
  return JSON.stringify(
    outputs.map(({ text, logprobs }) => [text, logprobs.map((value) => Number(value.toFixed(5)))]),
  );
}
