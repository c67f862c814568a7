import { performance } from 'node:perf_hooks';
import { openBackend } from './open-backend.js';
import type { SamplingResult } from './settings.js';

const COMPLETIONS = 256;
const TOKENS = 31;

/** 256 completions of 31 tokens at once, that share nothing but the first token; the better of two, so that compiling does not count. */
export async function sampleByBackend(seed: number): Promise<SamplingResult> {
  const backend = await openBackend(seed, 1 + TOKENS);
  let seconds = Number.POSITIVE_INFINITY;
  for (let step = 1; step <= 2; step++) {
    const start = performance.now();
    await Promise.all(
      Array.from({ length: COMPLETIONS }, (_, rolloutIndex) =>
        backend.rolloutEngine.getModelResponse({
          messages: [],
          sampling: { temperature: 1, topP: 1, maxTokens: TOKENS },
          identity: { mode: 'train', step, taskId: 'sampling', rolloutIndex, attempt: 1, call: 0 },
        }),
      ),
    );
    seconds = Math.min(seconds, (performance.now() - start) / 1000);
  }
  await backend.shutdown();
  return { tokens: COMPLETIONS * TOKENS, seconds };
}
