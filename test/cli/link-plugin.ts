import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './project.js';

/** Installs a plugin of this checkout into a folder made by `project`, as a link; it must be built. */
export function linkPlugin(folder: string, name: string): void {
  symlinkSync(join(ROOT, 'plugins', name), join(folder, 'node_modules', name));
}
