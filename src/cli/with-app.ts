import type { LoadedConfig } from '../config/index.js';
import { type App, type AppOptions, createApp } from '../container/index.js';

/** Runs `use` with an app and disposes of the app. An error of `use` is not hidden by one of the disposal. */
export async function withApp<T>(
  loaded: LoadedConfig,
  options: AppOptions,
  use: (app: App) => T | Promise<T>,
): Promise<T> {
  const app = await createApp(loaded, options);
  let result: T;
  try {
    result = await use(app);
  } catch (thrown) {
    await app.dispose().catch(() => undefined);
    throw thrown;
  }
  await app.dispose();
  return result;
}
