import { describe, expect, test } from 'vitest';
import { ServiceClient } from '../src/index.js';
import { bench, failureOf, imitation, KEY, training } from './support.js';

const data = [imitation([1, 2, 3, 4]), imitation([4, 3, 2])];
const adam = { learningRate: 0.1 };

describe.each(['hosted', 'tx', 'tx-0.3'] as const)('on %s', (engine) => {
  test('a model made from a state goes on as the first would have, in another client too', async () => {
    const { server, model } = await training({ engine });
    await model.forwardBackward(data, 'cross_entropy');
    await model.optimStep(adam);
    const { path } = await model.saveState('000001');
    expect(path).toBe(`tinker://${model.modelId}/weights/000001`);
    await model.forwardBackward(data, 'cross_entropy');
    await model.optimStep(adam);
    const uninterrupted = await model.forward(data, 'cross_entropy');

    await using service = new ServiceClient({ baseUrl: server.url, apiKey: KEY });
    const resumed = await service.createTrainingClientFromState(path, { optimizer: true });
    expect((await resumed.info()).loraRank).toBe(8);
    await resumed.forwardBackward(data, 'cross_entropy');
    await resumed.optimStep(adam);
    expect((await resumed.forward(data, 'cross_entropy')).outputs).toEqual(uninterrupted.outputs);
    expect(server.engine.violations).toEqual([]);
    await service.close();
  });

  test('sampler weights have a path that every engine takes, and are there to sample from', async () => {
    const { service, model } = await training({ engine });
    const saved = await model.saveWeightsForSampler('s1');
    const path = `tinker://${model.modelId}/sampler_weights/s1`;
    expect(saved).toEqual({ kind: 'named', path });
    const sampler = await service.samplingClient({ modelPath: path });
    expect((await sampler.sample([1], { params: { maxTokens: 2 } })).sequences).toHaveLength(1);
    const bare = await service.samplingClient({ modelPath: `tinker://${model.modelId}/s1` });
    expect(bare.samplingSessionId).not.toBe(sampler.samplingSessionId);
    expect((await model.saveWeightsAndGetSamplingClient('s2')).samplingSessionId).toMatch(/./);
  });

  test('checkpoints are listed by name and kind, and deleted', async () => {
    const { service, model } = await training({ engine });
    await model.saveState('a');
    await model.saveWeightsForSampler('b');
    const rest = service.rest();
    expect(await rest.checkpoints(model.modelId)).toMatchObject([
      { name: 'a', kind: 'training', path: `tinker://${model.modelId}/weights/a` },
      { name: 'b', kind: 'sampler', path: `tinker://${model.modelId}/sampler_weights/b` },
    ]);
    await rest.deleteCheckpoint(`tinker://${model.modelId}/weights/a`);
    expect(await rest.checkpoints(model.modelId)).toHaveLength(1);
    expect(await failureOf(rest.deleteCheckpoint(`tinker://${model.modelId}/weights/a`))).toMatchObject({
      code: 'NOT_FOUND',
    });
  });

  test('an archive has an address', async () => {
    const { server, service, model } = await training({ engine });
    await model.saveWeightsForSampler('b');
    const { url, expires } = await service.rest().archiveUrl(`tinker://${model.modelId}/sampler_weights/b`);
    expect(url.startsWith(engine === 'hosted' ? 'https://archive.invalid/' : server.url)).toBe(true);
    expect(expires).toBeDefined();
  });

  test('runs are listed', async () => {
    const { service, model } = await training({ engine });
    const [run] = await service.rest().trainingRuns({ limit: 5 });
    expect(run).toMatchObject({
      id: model.modelId,
      baseModel: 'fake/bigram',
      isLora: true,
      loraRank: 8,
      corrupted: false,
    });
    expect(await service.rest().trainingRun(model.modelId)).toEqual(run);
    expect(await service.rest().trainingRuns({ offset: 1 })).toEqual([]);
    expect(await failureOf(service.rest().trainingRun('nobody'))).toMatchObject({ code: 'NOT_FOUND' });
  });
});

test('a state can be loaded without its optimizer', async () => {
  const { service, model } = await training();
  await model.forwardBackward(data, 'cross_entropy');
  await model.optimStep(adam);
  const { path } = await model.saveState('a');
  const resumed = await service.createTrainingClientFromState(path, { optimizer: false });
  expect((await resumed.forward(data, 'cross_entropy')).outputs).toEqual(
    (await model.forward(data, 'cross_entropy')).outputs,
  );
  const both = [model, resumed].map(async (one) => {
    await one.forwardBackward(data, 'cross_entropy');
    await one.optimStep(adam);
    return (await one.forward(data, 'cross_entropy')).outputs;
  });
  expect(await both[0]).not.toEqual(await both[1]);
});

test('a load that is not the first call is refused by the engine', async () => {
  const { model } = await training({ engine: 'tx' });
  const { path } = await model.saveState('a');
  expect(await failureOf(model.loadState(path, { optimizer: true }))).toMatchObject({
    code: 'REJECTED',
    status: 400,
  });
});

test('all checkpoints of the account are listed where the engine can', async () => {
  const hosted = await training();
  await hosted.model.saveState('a');
  expect(await hosted.service.rest().allCheckpoints()).toHaveLength(1);
  const tx = await bench({ engine: 'tx' });
  expect(await failureOf(tx.service.rest().allCheckpoints())).toMatchObject({ code: 'UNSUPPORTED' });
});

test('an archive that is being built is waited for, six times at most', async () => {
  const { server, service, model, clock } = await training();
  await model.saveState('a');
  const path = `tinker://${model.modelId}/weights/a`;
  const route = `/training_runs/${encodeURIComponent(model.modelId)}/checkpoints/weights/a/archive`;
  server.script(route, { status: 503 }, { status: 503 });
  expect((await service.rest().archiveUrl(path)).url).toContain('a.tar.gz');
  expect(clock.sleeps).toEqual([30_000, 30_000]);
  const noAnswer = { status: 503, headers: { 'x-should-retry': 'false' } };
  server.script(route, ...Array.from({ length: 6 }, () => noAnswer));
  expect(await failureOf(service.rest().archiveUrl(path))).toMatchObject({ status: 503 });
});

test.each(['x', 'tinker://a', 'tinker://a/b', 'tinker://a/other/b', 'tinker://a/weights/b/c'])(
  '"%s" is no checkpoint',
  async (path) => {
    const { service } = await bench();
    for (const call of [
      service.rest().weightsInfo(path),
      service.rest().deleteCheckpoint(path),
      service.rest().archiveUrl(path),
    ]) {
      expect(await failureOf(call)).toMatchObject({ code: 'INPUT_INVALID' });
    }
  },
);

test('tx has archives of sampler weights only', async () => {
  const { service, model } = await training({ engine: 'tx' });
  await model.saveState('a');
  expect(await failureOf(service.rest().archiveUrl(`tinker://${model.modelId}/weights/a`))).toMatchObject({
    code: 'UNSUPPORTED',
  });
});
