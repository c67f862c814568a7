export {
  type AdvantageChange,
  type AdvantageSummary,
  advantageChanges,
  largestChanges,
  type RecomputedTrajectory,
} from './advantage-change.js';
export {
  armsOf,
  BANDIT_PROVIDES,
  type Bandit,
  type BanditSettings,
  createBandit,
} from './bandit.js';
export { type Column, parseColumn } from './column.js';
export {
  type AdvantageColumn,
  type AdvantageTable,
  type ComparedGroup,
  compareAdvantages,
} from './compare-advantages.js';
export {
  compareGradients,
  type GradientColumn,
  type GradientComparison,
  type SampleSize,
} from './compare-gradients.js';
export { type ComparisonInput, inputOfGroups, sizeOfGroups } from './comparison-input.js';
export type { GradientStatistics, Measured } from './gradient-statistics.js';
export { type BaselinePolicy, type GroupedEpisodes, type Grouping, groupEpisodes } from './group-episodes.js';
export { type ColumnSetting, type LeftOut, type PreparedColumn, prepareColumns } from './prepare-columns.js';
export { type RecomputeSetting, recomputeAdvantages } from './recompute.js';
export { replayColumns } from './replay-columns.js';
export { type ComparisonReport, type GradientReport, reportDocument } from './report.js';
export { inputOfTable, type RewardTable, readRewardTable } from './reward-table.js';
export {
  dependsOnEarlier,
  type EpisodesOfStep,
  type ReplaySetting,
  type TrainedStep,
  trainedSteps,
} from './trained-steps.js';
export type { TrajectoryAdvantage } from './trajectory-advantage.js';
