import type { Backend } from '../../src/backend/index.js';
import { localBackend } from '../../src/backend/local/index.js';
import { configSchema } from '../../src/config/index.js';
import { SILENT } from '../../src/logger.js';
import { guessNumberLength, guessNumberWords } from './guess-number.js';
import { SETTINGS } from './settings.js';

/** The local backend with the model of the settings, started. `contextLength` is that of the game unless told. */
export async function openBackend(
  seed: number,
  contextLength = guessNumberLength(SETTINGS),
): Promise<Backend> {
  const { dModel, nLayers, nHeads, learningRate, updateEpochs } = SETTINGS;
  const config = configSchema.parse({
    trainer: { seed },
    algorithm: { estimator: 'grpo', learningRate, updateEpochs },
  });
  const options = {
    vocabulary: { words: guessNumberWords(SETTINGS), bos: '<bos>' },
    model: { dModel, nLayers, nHeads, contextLength },
  };
  const checked = await localBackend.options['~standard'].validate(options);
  if (checked.issues !== undefined) throw new Error(checked.issues.map(({ message }) => message).join('; '));
  const backend = localBackend.create(checked.value, {
    config,
    logger: SILENT,
    signal: new AbortController().signal,
  });
  await backend.start();
  return backend;
}
