export { awaitBackend } from './await-backend.js';
export {
  type Backend,
  type BackendCapabilities,
  type BackendContext,
  type BackendDefinition,
  type TokenView,
  tokenAdvantages,
} from './backend.js';
// What every backend that trains on token sequences needs, the embedded one included.
export { learningRateAt } from './learning-rate.js';
export { isClipped, type Loss, lossKey, lossOfRole, tokenLoss } from './loss.js';
export { miniBatches } from './mini-batches.js';
export { type RowBatch, rowBatch, type TrajectoryRows } from './row-batch.js';
export { rowAdvantages, type TokenLimits, type TrainingRow, trajectoryFault } from './trajectory-rows.js';
