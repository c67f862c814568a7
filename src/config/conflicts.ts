import type { ConfigPath } from './config-path.js';
import type { RllmConfig } from './types.js';

/** Settings that are each valid and cannot be honoured together. */
export interface Conflict {
  /** The settings, the one to change first. */
  readonly paths: readonly ConfigPath[];
  readonly message: string;
}

/** What the configuration alone shows to be impossible; what plugins, data or the backend decide is checked after they are loaded. */
export function findConflicts(config: RllmConfig): readonly Conflict[] {
  const { algorithm, compactFiltering, rejectionSample, reward, rollout, trainer, tracking } = config;
  const { clipLowThreshold: low, clipHighThreshold: high } = algorithm.lossConfig;
  const { enable, ...masks } = compactFiltering;
  const conflicts: Conflict[] = [];
  const add = (message: string, ...paths: readonly string[]): void => {
    conflicts.push({ message, paths: paths.map((path) => path.split('.')) });
  };
  if (trainer.totalEpochs === 0 && trainer.totalBatches === null && !trainer.valOnly) {
    add(
      'nothing says when training ends: totalEpochs is 0 and totalBatches is null',
      'trainer.totalEpochs',
      'trainer.totalBatches',
    );
  }
  if (trainer.stopWhen?.metric.startsWith('val/') === true && trainer.testFreq === 0) {
    add(
      `"${trainer.stopWhen.metric}" is a metric of validation, and trainer.testFreq is 0, which never validates`,
      'trainer.stopWhen',
      'trainer.testFreq',
    );
  }
  if (rejectionSample.mode === 'episode' && rollout.n === 1) {
    add(
      'mode "episode" waits for tasks that some of their rollouts solve and others do not, and rollout.n is 1',
      'rejectionSample.mode',
      'rollout.n',
    );
  }
  if (low !== null && high !== null && low > high) {
    add(
      `clipLowThreshold ${low} is above clipHighThreshold ${high}`,
      'algorithm.lossConfig.clipLowThreshold',
      'algorithm.lossConfig.clipHighThreshold',
    );
  }
  const { rewardClip, lengthPenalty } = algorithm;
  if (rewardClip.min !== null && rewardClip.max !== null && rewardClip.min > rewardClip.max) {
    add(
      `min ${rewardClip.min} is above max ${rewardClip.max}`,
      'algorithm.rewardClip.min',
      'algorithm.rewardClip.max',
    );
  }
  if (lengthPenalty?.kind === 'soft_overlong' && lengthPenalty.buffer > lengthPenalty.maxTokens) {
    add(
      `buffer ${lengthPenalty.buffer} is above maxTokens ${lengthPenalty.maxTokens}`,
      'algorithm.lengthPenalty.buffer',
      'algorithm.lengthPenalty.maxTokens',
    );
  }
  if (enable && Object.values(masks).every(Boolean)) {
    add('every ending is masked, so that no rollout would ever train', 'compactFiltering.maskEnvDone');
  }
  for (const [i, tracker] of tracking.trackers.entries()) {
    if (tracking.trackers.indexOf(tracker) !== i)
      add(`"${tracker}" is listed twice`, `tracking.trackers.${i}`);
  }
  const parts = reward.functions.map(({ name, use }) => name ?? use);
  for (const [i, part] of parts.entries()) {
    const { name = null, roles = null } = reward.functions[i] ?? {};
    const at = `reward.functions.${i}`;
    if (roles?.length === 0) add('an empty list of roles scores nothing; null is for all', `${at}.roles`);
    const first = parts.indexOf(part);
    const message = `"${part}" is the name of reward.functions[${first}] too; give one of them another \`name\``;
    if (first < i) add(message, `${at}.${name === null ? 'use' : 'name'}`);
  }
  return conflicts;
}
