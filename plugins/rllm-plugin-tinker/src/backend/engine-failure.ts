import { type ErrorCode, RllmError } from 'rllm-sdk';
import { TinkerError } from 'rllm-tinker-client';

/** The client's own names an option that this backend does not have: keys come from the environment only. */
const KEY_FIX =
  'Set the environment variable that backend.options.tinker.apiKeyEnv names, by default TINKER_API_KEY.';

/** What the engine or the client threw, as an error of the SDK: it says what was being done, and how to solve it. */
export function engineFailure(doing: string, thrown: unknown, code: ErrorCode = 'BACKEND_FAILED'): RllmError {
  if (RllmError.isInstance(thrown)) return thrown;
  if (!TinkerError.isInstance(thrown)) {
    const message = thrown instanceof Error ? thrown.message : String(thrown);
    return new RllmError(code, `${doing} failed: ${message}`, { cause: thrown });
  }
  const { message, fix, code: tinkerCode, status } = thrown;
  const cure = tinkerCode === 'KEY_MISSING' ? KEY_FIX : fix;
  return new RllmError(code, `${doing} failed: ${message} ${cure}`, {
    cause: thrown,
    details: { tinkerCode, ...(status === undefined ? {} : { status }) },
  });
}
