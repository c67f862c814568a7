import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { backendContract } from 'rllm-sdk/testing';
import { FakeTinker } from 'rllm-tinker-client/testing';
import { afterAll, describe, test, vi } from 'vitest';
import { tinkerBackend } from '../../src/index.js';
import { CHATML, writeTinyModel } from '../tiny-model.js';

const tokenizer = await mkdtemp(join(tmpdir(), 'rllm-tinker-'));
await writeTinyModel(tokenizer, CHATML);
vi.stubEnv('TINKER_API_KEY', 'tml-of-a-test');
afterAll(async () => {
  vi.unstubAllEnvs();
  await rm(tokenizer, { recursive: true });
});

for (const engine of ['hosted', 'tx', 'tx-0.3'] as const) {
  const model = 'fake/bigram';
  const server = await FakeTinker.start({ engine, vocabSize: 320, baseModel: model });
  afterAll(() => server.close());
  describe(`on the engine ${engine}, the backend`, () => {
    const options = { baseUrl: server.url, engine, model, tokenizer, maxLength: 512, selfCheck: 'off' };
    const config = { algorithm: { learningRate: 0.5 } };
    // Whether it learns is tested beside this: one reply in 320 is too rare for the contract's few samples.
    for (const { name, run } of backendContract(tinkerBackend, { options, config, updates: 0 }))
      test(name, run);
  });
}
