import * as z from 'zod';
import type { HttpAnswer } from '../transport/http-answer.js';
import type { HttpRequest } from '../transport/http-transport.js';
import type { AdamParams, OptimStepResult } from '../types/adam-params.js';
import { invalidResponse } from './invalid-response.js';
import { numbersOf } from './json-forward-result.js';
import { jsonPost } from './json-post.js';

const RESULT = z.object({ metrics: z.record(z.string(), z.number().nullable()).nullish() });

/** Zeros that mean "off" are left out, since older engines do not know them. */
export function encodeOptimStep(adam: AdamParams, modelId: string, seqId: number): HttpRequest {
  const { learningRate, beta1 = 0.9, beta2 = 0.95, eps = 1e-12, weightDecay = 0, gradClipNorm = 0 } = adam;
  return jsonPost('/optim_step', {
    model_id: modelId,
    seq_id: seqId,
    adam_params: {
      learning_rate: learningRate,
      beta1,
      beta2,
      eps,
      weight_decay: weightDecay === 0 ? undefined : weightDecay,
      grad_clip_norm: gradClipNorm === 0 ? undefined : gradClipNorm,
    },
    type: 'optim_step',
  });
}

/** @throws TinkerError RESPONSE_INVALID */
export function decodeOptimStep(answer: HttpAnswer): OptimStepResult {
  const result = RESULT.safeParse(answer.json());
  if (!result.success) throw invalidResponse('a result of optim_step', result.error);
  return { metrics: numbersOf(result.data.metrics) };
}
