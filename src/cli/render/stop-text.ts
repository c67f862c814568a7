import type { RunStop } from '../../trainer/index.js';
import { cleanText } from './clean-text.js';

/** Who ended a run before its plan, and why: on one line, whatever the plugin wrote. */
export function stopText({ by, reason }: RunStop): string {
  return cleanText(`by ${by}: ${reason}`.replace(/\s+/g, ' ').trim());
}
