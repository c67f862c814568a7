import type { CommonOptions } from './options.js';
import type { Screen } from './screen.js';
import { LiveView } from './views/live-view.js';
import { PlainView } from './views/plain-view.js';
import { quietView, type RunView } from './views/run-view.js';

/** The view that fits the screen: rewritten in place in a terminal, lines elsewhere. */
export function openView(screen: Screen, options: CommonOptions, mayStopEarly: boolean): RunView {
  const now = (): number => performance.now();
  if (options.quiet === true) return quietView((text) => screen.write(text));
  return screen.interactive ? new LiveView(screen, now, { mayStopEarly }) : new PlainView(screen, now);
}
