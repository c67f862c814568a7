import { onTestFinished } from 'vitest';
import {
  type Datum,
  ServiceClient,
  type ServiceClientOptions,
  type TinkerError,
  type TrainingClient,
} from '../src/index.js';
import { FakeTinker, type FakeTinkerOptions, TestClock } from '../src/testing/index.js';

export const KEY = 'tml-secret-key-of-this-test';

/** A client against a fake server, with a clock whose sleeps take no time, and every line that was logged. */
export interface Bench {
  readonly server: FakeTinker;
  readonly service: ServiceClient;
  readonly clock: TestClock;
  readonly log: string[];
}

export async function bench(
  fake: FakeTinkerOptions = {},
  options: ServiceClientOptions = {},
): Promise<Bench> {
  const server = await FakeTinker.start(fake);
  const clock = new TestClock();
  const log: string[] = [];
  const note = (message: string): void => {
    log.push(message);
  };
  const service = new ServiceClient({
    baseUrl: server.url,
    apiKey: KEY,
    clock,
    random: () => 0,
    logger: { debug: note, info: note, warn: note },
    ...options,
  });
  onTestFinished(async () => {
    await service.close();
    await server.close();
  });
  return { server, service, clock, log };
}

/** The same with a model in training. */
export async function training(
  fake: FakeTinkerOptions = {},
  options: ServiceClientOptions = {},
): Promise<Bench & { readonly model: TrainingClient }> {
  const made = await bench(fake, options);
  const model = await made.service.createTrainingClient({
    baseModel: 'fake/bigram',
    lora: { rank: 8 },
    vocabSize: 16,
  });
  return { ...made, model };
}

/** Text to imitate: `weights` are 1 where not given. */
export function imitation(tokens: readonly number[], weights?: readonly number[]): Datum {
  const target = tokens.slice(1);
  return {
    modelInput: tokens.slice(0, -1),
    lossInputs: { target_tokens: target, weights: weights ?? target.map(() => 1) },
  };
}

/** The error that a promise rejects with. */
export async function failureOf(promise: PromiseLike<unknown>): Promise<TinkerError> {
  try {
    await promise;
  } catch (thrown) {
    return thrown as TinkerError;
  }
  throw new Error('it did not reject');
}
