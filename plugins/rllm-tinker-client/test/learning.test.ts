import { describe, expect, test } from 'vitest';
import { BigramModel, FakeModel } from '../src/testing/index.js';
import type { WireBatch } from '../src/testing/wire-types.js';
import { training } from './support.js';

describe('the whole loop learns', () => {
  test.each(['hosted', 'tx', 'tx-0.3'] as const)(
    'on %s: sample, weigh, train, refresh; on-policy throughout',
    async (engine) => {
      const { server, model } = await training({ engine });
      const prompt = [5];
      const rewards: number[] = [];
      for (let iteration = 0; iteration < 20; iteration++) {
        const sampler = await model.saveWeightsAndGetSamplingClient();
        const { sequences } = await sampler.sample(prompt, {
          numSamples: 24,
          params: { maxTokens: 6, seed: iteration * 100 },
        });
        const reward = sequences.map(
          ({ tokens }) => tokens.filter((token) => token < 4).length / tokens.length,
        );
        const mean = reward.reduce((a, b) => a + b, 0) / reward.length;
        rewards.push(mean);
        const data = sequences.map(({ tokens, logprobs }, i) => {
          const full = [...prompt, ...tokens];
          const weights = engine === 'hosted' ? {} : { weights: full.slice(1).map(() => 1) };
          return {
            modelInput: full.slice(0, -1),
            lossInputs: {
              target_tokens: full.slice(1),
              logprobs,
              advantages: full.slice(1).map(() => reward[i]! - mean),
              ...weights,
            },
          };
        });
        const forward = model.forwardBackward(data, 'importance_sampling');
        const step = model.optimStep({ learningRate: 0.5, eps: 1e-8 });
        const { outputs } = await forward;
        outputs.forEach(({ logprobs }, i) => {
          expect(Array.from(logprobs)).toEqual(Array.from(sequences[i]!.logprobs));
        });
        await step;
      }
      expect(rewards[0]).toBeLessThan(0.5);
      expect(rewards.at(-1)).toBeGreaterThan(0.8);
      expect(server.engine.violations).toEqual([]);
    },
  );
});

describe('the fake engine', () => {
  const batch = (lossFn: string, config: Record<string, number> = {}): WireBatch => ({
    model_id: 'm',
    seq_id: 1,
    forward_only: false,
    loss_fn: lossFn,
    loss_fn_config: config,
    data: [
      {
        model_input: { chunks: [{ tokens: [1, 2, 0] }] },
        loss_fn_inputs: {
          target_tokens: { data: [2, 0, 1] },
          logprobs: { data: [-0.9, -1.3, -1.6] },
          advantages: { data: [0.5, -1.5, 2] },
          weights: { data: [1, 0.5, 2] },
        },
      },
    ],
  });
  const modelOf = (): FakeModel => new FakeModel('m', 'b', 8, new BigramModel(3, 1));

  test.each([
    ['cross_entropy', {}],
    ['importance_sampling', {}],
    ['ppo', { clip_low_threshold: 0.95, clip_high_threshold: 1.05 }],
    ['dro', { beta: 0.3 }],
  ])('has the gradient of %s that small changes of the weights show', (lossFn, config) => {
    const lossAt = (change: (table: BigramModel) => void): number => {
      const model = modelOf();
      change(model.table);
      return model.forward(batch(lossFn, config), false).metrics['loss:sum']!;
    };
    const model = modelOf();
    model.forward(batch(lossFn, config), false);
    const before = model.table.weights.slice();
    // One step of Adam with beta1 = beta2 = 0 moves each weight by lr·g/(|g| + eps); with a huge eps that is lr·g/eps.
    const [learning_rate, eps] = [1e3, 1e9];
    model.step({ learning_rate, beta1: 0, beta2: 0, eps }, false);
    model.table.weights.forEach((after, k) => {
      const h = 1e-5;
      const up = lossAt((table) => {
        table.weights[k]! += h;
      });
      const down = lossAt((table) => {
        table.weights[k]! -= h;
      });
      expect(((before[k]! - after) * eps) / learning_rate).toBeCloseTo((up - down) / (2 * h), 5);
    });
  });

  test('divides by the weights and the sequences on tx, and sums on hosted', () => {
    const normOf = (isTx: boolean, copies: number): number => {
      const model = modelOf();
      const one = batch('cross_entropy');
      model.forward({ ...one, data: Array.from({ length: copies }, () => one.data[0]!) }, isTx);
      return model.table.step(
        { learning_rate: 0, beta1: 0.9, beta2: 0.9, eps: 1 },
        isTx ? 'sequence-mean' : 'token-sum',
      );
    };
    expect(normOf(true, 2)).toBeCloseTo(normOf(true, 1), 12);
    expect(normOf(false, 2)).toBeCloseTo(2 * normOf(false, 1), 12);
    // The weights sum to 3.5.
    expect(normOf(false, 1)).toBeCloseTo(3.5 * normOf(true, 1), 12);
  });

  test('clips the gradient where it is asked to', () => {
    const model = modelOf();
    model.forward(batch('cross_entropy'), false);
    const before = model.table.weights.slice();
    model.table.step({ learning_rate: 1, beta1: 0, beta2: 0, eps: 1e9, grad_clip_norm: 0.5 }, 'token-sum');
    const moved = Math.sqrt(model.table.weights.reduce((sum, w, k) => sum + (w - before[k]!) ** 2, 0));
    expect(moved * 1e9).toBeCloseTo(0.5, 5);
  });

  test('shows the fault of tx: an older sampler puts its weights into the model in training', async () => {
    const { service, model } = await training({ engine: 'tx' });
    const saved = await model.saveWeightsForSampler('old');
    const data = [{ modelInput: [1], lossInputs: { target_tokens: [2], weights: [1] } }];
    const before = (await model.forward(data, 'cross_entropy')).outputs;
    await model.forwardBackward(data, 'cross_entropy');
    await model.optimStep({ learningRate: 0.5 });
    expect((await model.forward(data, 'cross_entropy')).outputs).not.toEqual(before);
    const path = saved.kind === 'named' ? saved.path : '';
    const sampler = await service.samplingClient({ modelPath: path });
    await sampler.sample([1], { params: { maxTokens: 1 } });
    expect((await model.forward(data, 'cross_entropy')).outputs).toEqual(before);
  });

  test('notes requests out of order and a number with two bodies', async () => {
    const { server, model } = await training({ engine: 'tx' });
    const send = (seqId: number, learningRate: number) =>
      fetch(`${server.url}/api/v1/optim_step`, {
        method: 'POST',
        body: JSON.stringify({
          model_id: model.modelId,
          seq_id: seqId,
          adam_params: { learning_rate: learningRate, beta1: 0.9, beta2: 0.9, eps: 1 },
        }),
      });
    const first = await (await send(1, 0.1)).json();
    expect(await (await send(1, 0.1)).json()).toEqual(first);
    expect((await send(1, 0.2)).status).toBe(409);
    await send(3, 0.1);
    expect(server.engine.violations).toHaveLength(2);
  });
});
