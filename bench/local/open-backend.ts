import type { Backend } from '../../src/backend/index.js';
import { localBackend } from '../../src/backend/local/index.js';
import { configSchema } from '../../src/config/index.js';
import { SILENT } from '../../src/logger.js';
import { SETTINGS } from './settings.js';

/** The local backend with the quickstart's model but a context of this length, started. */
export async function openBackend(seed: number, contextLength: number): Promise<Backend> {
  const { dModel, nLayers, nHeads, numbers } = SETTINGS;
  const words = ['<bos>', ...Array.from({ length: numbers + 4 }, (_, i) => `word-${i}`)];
  const options = {
    vocabulary: { words, bos: '<bos>' },
    model: { dModel, nLayers, nHeads, contextLength },
  };
  const checked = await localBackend.options['~standard'].validate(options);
  if (checked.issues !== undefined) throw new Error(checked.issues.map(({ message }) => message).join('; '));
  const backend = localBackend.create(checked.value, {
    config: configSchema.parse({ trainer: { seed } }),
    logger: SILENT,
    signal: new AbortController().signal,
  });
  await backend.start();
  return backend;
}
