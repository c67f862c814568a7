export type { App, AppOptions, RunTarget } from './app.js';
export { createApp } from './create-app.js';
export { inject, injectable } from './injection.js';
export type { Registries } from './registries.js';
export {
  BACKEND,
  BACKENDS,
  CLOCK,
  CONFIG,
  ENGINE,
  ESTIMATORS,
  GROUPING_HOOK,
  GROUPING_HOOKS,
  LOGGER,
  NOW,
  RUN_FOLDER,
  type Token,
  TRACKERS,
  TRAIN_DATA,
  TRAINER,
  VAL_DATA,
  WORKFLOW,
  WORKFLOWS,
} from './tokens.js';
