export { BigramModel, type BigramState } from './bigram-model.js';
export { FakeEngine, type FakeEngineOptions } from './fake-engine.js';
export { FakeModel } from './fake-model.js';
export type { FakeReply, FakeRequest } from './fake-reply.js';
export { FakeTinker, type FakeTinkerOptions, type FakeTurn } from './fake-tinker.js';
export { TestClock } from './test-clock.js';
