export {
  type Backend,
  type BackendCapabilities,
  type BackendContext,
  type BackendDefinition,
  type TokenView,
  tokenAdvantages,
} from './backend.js';
// What every backend that trains on token sequences needs, the embedded one included.
export { learningRateAt } from './local/learning-rate.js';
export {
  type LocalBatch as RowBatch,
  localBatch as rowBatch,
  type TrajectoryRows,
} from './local/local-batch.js';
export { isClipped, type Loss, lossKey, lossOfRole, tokenLoss } from './local/loss.js';
export { miniBatches } from './local/mini-batches.js';
export { rowAdvantages, type TokenLimits, type TrainingRow } from './local/trajectory-rows.js';
