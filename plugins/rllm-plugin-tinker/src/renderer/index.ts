export type { ModelFolder } from './model-folder.js';
export { type RenderedPrompt, Renderer } from './renderer.js';
