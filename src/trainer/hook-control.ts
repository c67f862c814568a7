import { RllmError } from '../errors.js';
import type { RunControl } from '../types/index.js';
import type { HookWatch } from './hook-watch.js';
import type { HookName, RunSteering } from './run-steering.js';

/** What one call of a hook is given to steer the run with. */
export interface HookControl {
  readonly control: RunControl;
  /** The call has ended: waits for a checkpoint that it left behind. From now on it can have no other. */
  close(): Promise<void>;
}

/** @param watch  stands still while the run saves. */
export function openControl(steering: RunSteering, by: HookName, watch: HookWatch): HookControl {
  let isOpen = true;
  let saved: Promise<unknown> = Promise.resolve();
  const save = async (): Promise<string | null> => {
    watch.pause();
    try {
      return await steering.checkpoint(by);
    } finally {
      watch.start();
    }
  };
  const control: RunControl = {
    directory: steering.directory,
    stop(reason) {
      const isGiven = typeof reason === 'string' && reason.trim() !== '';
      steering.requestStop({ by: by.plugin, reason: isGiven ? reason : 'no reason was given' });
    },
    checkpoint() {
      if (!isOpen) return Promise.reject(endedError(by));
      const saving = save();
      saved = Promise.allSettled([saved, saving]);
      return saving;
    },
  };
  return {
    control,
    async close() {
      isOpen = false;
      await saved;
    },
  };
}

function endedError(by: HookName): RllmError {
  const message = `The plugin "${by.plugin}" asked for a checkpoint after its hook ${by.hook} had ended: await run.checkpoint() within it.`;
  return new RllmError('HOOK_FAILED', message, { details: { ...by } });
}
