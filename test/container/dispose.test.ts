import { describe, expect, test } from 'vitest';
import { BACKEND, createApp } from '../../src/container/index.js';
import { definePlugin, type PluginContext, type PluginDefinition } from '../../src/plugin-host/index.js';
import { InMemoryBackend } from '../../src/testing/index.js';
import { errorOf, inMemory, memoryPlugin, TRAINS } from './app-kit.js';

/** A plugin that notes what is released, and may fail to. */
const noting = (name: string, notes: string[], failure?: Error): PluginDefinition =>
  definePlugin({
    name,
    apiVersion: 1,
    setup(context) {
      for (const part of ['first', 'second']) {
        context.onDispose(async () => {
          notes.push(`${name} ${part}`);
          if (failure !== undefined && part === 'second') throw failure;
        });
      }
    },
  });

const callsOf = (backend: unknown): readonly string[] => (backend as InMemoryBackend).calls;

describe('an app is disposed', () => {
  test('last in first out, once, however often it is asked', async () => {
    const notes: string[] = [];
    const app = await createApp({}, { plugins: [noting('a', notes), noting('b', notes)] });
    await Promise.all([app.dispose(), app.dispose()]);
    await app[Symbol.asyncDispose]();
    expect(notes).toEqual(['b second', 'b first', 'a second', 'a first']);
  });

  test('to the end although a part throws, and then says which', async () => {
    const notes: string[] = [];
    const app = await createApp(
      {},
      { plugins: [noting('a', notes), noting('b', notes, new Error('stuck'))] },
    );
    const error = await errorOf(app.dispose());
    expect(error).toMatchObject({ code: 'TEARDOWN_FAILED', cause: { message: 'stuck' } });
    expect(error.message).toContain('plugin "b": stuck');
    expect(notes).toHaveLength(4);
  });

  test('with the backend that its trainer has started', async () => {
    const app = await createApp(TRAINS, inMemory());
    await app.trainer();
    const backend = app.resolve(BACKEND);
    expect(callsOf(backend)).not.toContain('shutdown');
    await app.dispose();
    expect(callsOf(backend)).toContain('shutdown');
  });

  test('without a backend that was never started', async () => {
    const app = await createApp(TRAINS, inMemory());
    const backend = app.resolve(BACKEND);
    await app.dispose();
    expect(callsOf(backend)).toEqual([]);
  });

  test('when it could not be created, so that plugins let go of what they hold', async () => {
    const notes: string[] = [];
    const error = await errorOf(
      createApp({ algorithm: { estimator: 'gropo' } }, { plugins: [noting('a', notes)] }),
    );
    expect(error.code).toBe('CONFIG_INVALID');
    expect(notes).toEqual(['a second', 'a first']);
  });

  test('after a start that failed, with what had been started', async () => {
    class Failing extends InMemoryBackend {
      override async start(): Promise<void> {
        await super.start();
        throw new Error('no connection');
      }
    }
    const backend = new Failing({ policy: () => 'yes' });
    const app = await createApp(
      TRAINS,
      inMemory({ override: (container) => container.registerInstance(BACKEND, backend) }),
    );
    await expect(app.trainer()).rejects.toMatchObject({ code: 'BACKEND_FAILED' });
    await app.dispose();
    expect(backend.calls).toEqual(['start', 'shutdown']);
  });

  test('while its trainer is opened, which then fails', async () => {
    let release = (): void => undefined;
    class Slow extends InMemoryBackend {
      override async start(): Promise<void> {
        await super.start();
        await new Promise<void>((resolve) => {
          release = resolve;
        });
      }
    }
    const backend = new Slow({ policy: () => 'yes' });
    const app = await createApp(
      TRAINS,
      inMemory({ override: (container) => container.registerInstance(BACKEND, backend) }),
    );
    const opening = errorOf(app.trainer());
    await expect.poll(() => backend.calls).toEqual(['start']);
    const disposed = app.dispose();
    release();
    expect((await opening).code).toBe('ABORTED');
    await disposed;
    expect(backend.calls).toContain('shutdown');
  });

  test('and what a plugin defers after that is run at once', async () => {
    const notes: string[] = [];
    let late: PluginContext | undefined;
    const plugin = definePlugin({
      name: 'late',
      apiVersion: 1,
      setup(context) {
        late = context;
      },
    });
    const app = await createApp({}, { plugins: [plugin] });
    await app.dispose();
    late?.onDispose(() => void notes.push('released'));
    expect(notes).toEqual(['released']);
    await app.dispose();
    late?.onDispose(() => Promise.reject(new Error('stuck')));
    expect(await errorOf(app.dispose())).toMatchObject({
      code: 'TEARDOWN_FAILED',
      message: expect.stringContaining('plugin "late": stuck'),
    });
  });

  test('and gives no trainer after that', async () => {
    const app = await createApp(TRAINS, inMemory({ plugins: [memoryPlugin()] }));
    await app.dispose();
    expect((await errorOf(app.trainer())).code).toBe('ABORTED');
  });
});
