import { access, constants } from 'node:fs/promises';
import { dirname } from 'node:path';
import { messageOf, RllmError } from '../errors.js';

/**
 * Asks whether the folder of a run can be written, or made where it is not there yet; makes nothing.
 *
 * @param directory  absolute.
 * @throws RllmError RUN_DIR_INVALID with the folder.
 */
export async function assertWritable(directory: string): Promise<void> {
  for (let at = directory; ; at = dirname(at)) {
    try {
      await access(at, constants.W_OK | constants.X_OK);
      return;
    } catch (cause) {
      const isAbsent = cause instanceof Error && 'code' in cause && cause.code === 'ENOENT';
      if (isAbsent && at !== dirname(at)) continue;
      throw new RllmError('RUN_DIR_INVALID', `${directory} cannot be written: ${messageOf(cause)}.`, {
        cause,
      });
    }
  }
}
