import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { CLOCK, createApp, NOW } from '../../src/container/index.js';
import { definePlugin } from '../../src/plugin-host/index.js';
import { fakeClock } from '../../src/testing/fake-clock.js';
import { inMemory, memoryPlugin, TRAINS } from './app-kit.js';

test('a slow hook is named by the clock of the app, at the time that its config says', async () => {
  const clock = fakeClock();
  const slow = definePlugin({
    name: 'slow',
    apiVersion: 1,
    hooks: {
      async onUpdateEnd({ globalStep }) {
        if (globalStep === 2) clock.advance(1_500);
        await turn();
      },
    },
  });
  const config = { ...TRAINS, trainer: { ...TRAINS.trainer, hooks: { slowMs: 1_000 } } };
  await using app = await createApp(
    config,
    inMemory({
      plugins: [memoryPlugin(), slow],
      override: (container) => {
        container.registerInstance(CLOCK, clock);
        container.registerInstance(NOW, () => clock.now);
      },
    }),
  );
  const warnings: unknown[] = [];
  for await (const event of (await app.trainer()).events()) {
    if (event.event === 'warning') warnings.push(event.details);
  }
  expect(warnings).toEqual([{ plugin: 'slow', hook: 'onUpdateEnd', ms: 1_000 }]);
});
