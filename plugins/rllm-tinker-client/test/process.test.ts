import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { FakeTinker } from '../src/testing/index.js';

const run = promisify(execFile);

test('a program that forgets to close ends all the same', { timeout: 60_000 }, async () => {
  const server = await FakeTinker.start({ engine: 'tx' });
  const client = new URL('../dist/index.js', import.meta.url).href;
  const program = `
    const { ServiceClient } = await import(${JSON.stringify(client)});
    const service = new ServiceClient({ baseUrl: ${JSON.stringify(server.url)} });
    const model = await service.createTrainingClient({ baseModel: 'fake/bigram' });
    await model.optimStep({ learningRate: 0 });
    console.log('done');
  `;
  const { stdout, stderr } = await run(process.execPath, ['--input-type=module', '-e', program], {
    cwd: fileURLToPath(new URL('..', import.meta.url)),
  });
  expect([stdout, stderr]).toEqual(['done\n', '']);
  await server.close();
});
