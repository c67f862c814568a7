export { localBackend } from './local-backend-definition.js';
