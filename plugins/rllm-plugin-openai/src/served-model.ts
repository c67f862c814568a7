import { RllmError, suggestion } from 'rllm-sdk';
import { z } from 'zod';
import type { TokenIds } from './openai-options.js';

const modelList = z.looseObject({
  data: z.array(z.looseObject({ id: z.string(), owned_by: z.string().nullish() })),
});

/** The model to use, and what is known of it. */
export interface ServedModel {
  readonly name: string;
  /** Whether the server lists it. One that it does not list may exist all the same: adapters, deployments. */
  readonly isListed: boolean;
  /** How this server is asked for token ids, by what it says it is. */
  readonly tokenIds: TokenIds;
  /** Names that the server lists. */
  readonly known: readonly string[];
}

/**
 * Chooses the model by what `GET /models` answered; `undefined` for a server that has no such route.
 *
 * vLLM and SGLang name themselves as `owned_by`.
 *
 * @throws RllmError BACKEND_FAILED when no model is named and the server has not exactly one.
 */
export function servedModel(answer: unknown, asked: string | null, baseURL: string): ServedModel {
  const models = modelList.safeParse(answer).data?.data ?? [];
  const known = models.map(({ id }) => id);
  const name = asked ?? (known.length === 1 ? known[0] : undefined);
  if (name === undefined) {
    throw new RllmError(
      'BACKEND_FAILED',
      `backend.options.openai.model is not set, and the server at ${baseURL} ${
        known.length === 0 ? 'lists no model' : `has ${known.length} of them`
      }: name one. ${suggestion('', known)}`,
    );
  }
  const owner = (models.find(({ id }) => id === name) ?? models[0])?.owned_by;
  return {
    name,
    isListed: known.includes(name),
    tokenIds: owner === 'vllm' || owner === 'sglang' ? owner : 'none',
    known,
  };
}
