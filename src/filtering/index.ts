export { applyCompactFiltering, type CompactFiltering, isMasked } from './compact-filtering.js';
export {
  countTrajectories,
  DROP_REASONS,
  type Dropped,
  type DropReason,
  droppedGroup,
  leaveOut,
  type Rollout,
  type UntrainableReason,
} from './drop-reason.js';
export { type Ledger, type LedgerParts, settleLedger } from './ledger.js';
export { applyRejectionSampling, type RejectionSampling } from './rejection-sampling.js';
export { RewardReading, unsoundComponent } from './reward-reading.js';
export { countSolved, SolveCounter, type SolveCounts } from './solve-counts.js';
