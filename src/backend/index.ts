export {
  type Backend,
  type BackendCapabilities,
  type BackendContext,
  type BackendDefinition,
  type TokenView,
  tokenAdvantages,
} from './backend.js';
