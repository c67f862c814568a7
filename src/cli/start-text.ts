import type { App } from '../container/index.js';
import { SDK_VERSION } from '../version.js';
import { nearPath } from './invocation.js';
import { pluginText } from './plugin-text.js';
import { estimatorText } from './render/estimator-text.js';
import type { StartText } from './render/start-lines.js';

/** What an app is about to run. */
export function startText(app: App): StartText {
  const { config, loaded, estimators, plugins } = app;
  const { algorithm, trainer } = config;
  const roles: readonly (readonly [string | null, string])[] = [
    ...Object.entries(algorithm.estimatorMap),
    [null, algorithm.estimator],
  ];
  return {
    version: SDK_VERSION,
    project: trainer.projectName,
    experiment: trainer.experimentName,
    configFile: loaded.file === null ? null : nearPath(loaded.file, process.cwd()),
    backend: config.backend.name,
    workflow: config.workflow.use,
    seed: trainer.seed,
    estimators: roles.map(([role, name]) => {
      const descriptor = estimators.describe(name);
      return { role, text: descriptor === undefined ? name : estimatorText(descriptor, algorithm) };
    }),
    plugins: plugins.map(pluginText),
  };
}
