import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { ServiceClient } from 'rllm-tinker-client';
import { ADAM, datumsOf, rewardsOf, sampleBatch } from '../../test/tinker/batches.js';

/** What a round took, and the mean reward of each iteration. */
export interface Round {
  readonly seconds: number;
  readonly rewards: readonly number[];
}

/** A client with a model of its own. */
export interface Rival {
  readonly rounds: readonly Round[];
  /** Does `count` iterations, seeded from `first` on. */
  run(first: number, count: number): Promise<void>;
  close(): Promise<void>;
}

/** Our client, in this process. */
export async function ourRival(baseUrl: string, baseModel: string): Promise<Rival> {
  const service = new ServiceClient({ baseUrl });
  const training = await service.createTrainingClient({ baseModel, lora: { rank: 8, seed: 7 } });
  const iterate = async (seed: number): Promise<number> => {
    const sequences = await sampleBatch(await training.saveWeightsAndGetSamplingClient(), seed);
    const forward = training.forwardBackward(datumsOf(sequences), 'importance_sampling');
    const step = training.optimStep(ADAM);
    await forward;
    await step;
    const rewards = rewardsOf(sequences);
    return rewards.reduce((a, b) => a + b, 0) / rewards.length;
  };
  const rounds: Round[] = [];
  return {
    rounds,
    async run(first, count) {
      const start = performance.now();
      const rewards: number[] = [];
      for (let seed = first; seed < first + count; seed++) rewards.push(await iterate(seed));
      rounds.push({ seconds: (performance.now() - start) / 1000, rewards });
    },
    close: () => service.close(),
  };
}

/** The official Python SDK, in a process of its own that waits between rounds. */
export async function pythonRival(python: string, url: string, baseModel: string): Promise<Rival> {
  const script = fileURLToPath(new URL('../tinker_python_sdk.py', import.meta.url));
  const child = spawn(python, [script, url, baseModel], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, TINKER_TELEMETRY: '0' },
  });
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const rounds: Round[] = [];
  return {
    rounds,
    async run(first, count) {
      child.stdin.write(`${JSON.stringify([first, count])}\n`);
      const { value, done } = await lines.next();
      if (done === true) throw new Error('The Python SDK ended early.');
      rounds.push(JSON.parse(value) as Round);
    },
    async close() {
      const exit = once(child, 'exit');
      child.stdin.end();
      await exit;
    },
  };
}
