export type { App, AppOptions, RunTarget } from './app.js';
export { checkCapabilities } from './check-capabilities.js';
export type { SettingFault } from './check-names.js';
export { constructClass } from './construct-class.js';
export { createApp } from './create-app.js';
export { inject, injectable } from './injection.js';
export type { Registries } from './registries.js';
export {
  BACKEND,
  BACKENDS,
  CLOCK,
  COMMANDS,
  CONFIG,
  DATASETS,
  ENGINE,
  ESTIMATORS,
  GROUPING_HOOK,
  GROUPING_HOOKS,
  LOGGER,
  NOW,
  REWARDS,
  RUN_FOLDER,
  type Token,
  TRACKERS,
  TRAIN_DATA,
  TRAINER,
  VAL_DATA,
  WORKFLOW,
  WORKFLOWS,
} from './tokens.js';
