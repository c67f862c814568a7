export { type Clock, SYSTEM_CLOCK } from './clock.js';
export { defineWorkflow, type WorkflowInit } from './define-workflow.js';
export type { ErrorRecord } from './error-record.js';
export { postprocessEpisode } from './postprocess-episode.js';
export type { BatchSettings } from './rollout-batch.js';
export type { RolloutRequest } from './rollout-request.js';
export type { FailedAttempt } from './run-rollout.js';
export { type RewardShaping, shapeStepRewards } from './step-rewards.js';
export { TerminationEvent } from './termination-event.js';
export {
  type Agent,
  type Task,
  Workflow,
  type WorkflowClass,
  type WorkflowContext,
  type WorkflowDefinition,
  type WorkflowFunction,
} from './workflow.js';
export { WorkflowEngine, type WorkflowEngineParts } from './workflow-engine.js';
