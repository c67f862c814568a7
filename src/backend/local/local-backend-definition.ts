import type { RllmConfig } from '../../config/types.js';
import { suggestion } from '../../nearest.js';
import type { Backend, BackendContext, BackendDefinition } from '../backend.js';
import { LOCAL_CAPABILITIES, LocalBackend } from './local-backend.js';
import { type LocalOptions, localOptionsSchema } from './local-options.js';

/** The embedded backend: `backend.name: "local"`, options under `backend.options.local`. */
export const localBackend: BackendDefinition = {
  name: 'local',
  summary: 'Trains a small transformer from random weights in worker threads of this process.',
  options: localOptionsSchema,
  capabilities: LOCAL_CAPABILITIES,
  check: (config: RllmConfig, options: unknown) => localOptionFaults(options as LocalOptions, config),
  create: (options: unknown, context: BackendContext): Backend =>
    new LocalBackend(options as LocalOptions, context),
};

interface Fault {
  readonly path: string;
  readonly message: string;
}

function localOptionFaults({ vocabulary, model }: LocalOptions, { algorithm }: RllmConfig): readonly Fault[] {
  const { words, separator, bos, roles, endOfTurn } = vocabulary;
  const faults: Fault[] = [];
  const add = (path: string, message: string): void => {
    faults.push({ path, message });
  };
  const option = (path: string): string => `backend.options.local.${path}`;

  for (const [i, word] of words.entries()) {
    const path = option(`vocabulary.words[${i}]`);
    if (words.indexOf(word) !== i)
      add(path, `The word ${JSON.stringify(word)} stands in the vocabulary twice.`);
    if (separator === ' ' && /\s/.test(word))
      add(path, `The word ${JSON.stringify(word)} holds white space, at which text is split.`);
  }
  const special = (path: string, word: string | null | undefined): void => {
    if (typeof word !== 'string' || words.includes(word)) return;
    add(
      option(`vocabulary.${path}`),
      `${JSON.stringify(word)} is not among the words of the vocabulary. ${suggestion(word, words)}`,
    );
  };
  special('bos', bos);
  special('endOfTurn', endOfTurn);
  for (const [role, word] of Object.entries(roles)) special(`roles.${role}`, word);

  if (model.dModel % model.nHeads !== 0) {
    add(option('model.nHeads'), `${model.nHeads} heads cannot share a dModel of ${model.dModel} evenly.`);
  }
  const opening = roles.assistant === undefined ? 1 : 2;
  if (model.contextLength <= opening) {
    add(
      option('model.contextLength'),
      `An empty prompt has ${opening} tokens; a contextLength of ${model.contextLength} leaves no room for a reply.`,
    );
  }
  const { clipLowThreshold: low, clipHighThreshold: high } = algorithm.lossConfig;
  if (low !== null && high !== null && low > high) {
    add(
      'algorithm.lossConfig.clipLowThreshold',
      `The lower bound ${low} of the probability ratio is above the upper bound ${high}.`,
    );
  }
  return faults;
}
