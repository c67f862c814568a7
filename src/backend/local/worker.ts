import { parentPort, workerData } from 'node:worker_threads';
import { defaultDevice, init } from '@jax-js/jax';
import { ComputeWorker } from './compute-worker.js';
import { packResults, unpackRequests } from './sample-message.js';
import type { WorkerReply, WorkerRequest, WorkerSetup } from './worker-protocol.js';

/** Entry of a worker thread: answers calls in order, and samples between them while completions wait. */
async function main(): Promise<void> {
  if (parentPort === null) throw new Error('worker.js runs in a worker thread only');
  const port = parentPort;
  const reply = (message: WorkerReply): void => port.postMessage(message);
  await init('wasm');
  defaultDevice('wasm');
  const worker = new ComputeWorker(workerData as WorkerSetup);
  let isSampling = false;

  const attempt = (callId: number | undefined, work: () => void): void => {
    try {
      work();
    } catch (error) {
      reply({ kind: 'failed', callId, error });
    }
  };
  // One step per turn of the event loop, so that new requests join the next step.
  const sampleOn = (): void => {
    isSampling = !worker.sampler.isIdle;
    if (!isSampling) return;
    attempt(undefined, () => {
      const results = worker.sampler.advance();
      if (results.length > 0) reply({ kind: 'sampled', results: packResults(results) });
      setImmediate(sampleOn);
    });
  };

  port.on('message', (request: WorkerRequest) => {
    switch (request.kind) {
      case 'sample':
        for (const one of unpackRequests(request.requests)) worker.sampler.add(one);
        if (!isSampling) sampleOn();
        return;
      case 'abort':
        return worker.sampler.abort(request.id);
      default: {
        const { callId } = request;
        attempt(callId, () => reply({ kind: 'answer', callId, answer: worker.answer(request) }));
      }
    }
  });
}

await main();
