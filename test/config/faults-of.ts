import { type ConfigFault, type LoadOptions, loadConfig, resolveConfig } from '../../src/config/index.js';
import { RllmError } from '../../src/errors.js';

export interface Report {
  readonly code: string;
  readonly message: string;
  readonly faults: readonly ConfigFault[];
  readonly byPath: Readonly<Record<string, ConfigFault>>;
}

/** The report that a faulty configuration is refused with. */
export function faultsOf(input: unknown): Report {
  try {
    resolveConfig(input);
  } catch (thrown) {
    return reportOf(thrown);
  }
  throw new Error('the configuration was accepted');
}

export async function faultsOfLoading(options: LoadOptions): Promise<Report> {
  try {
    await loadConfig({ env: {}, ...options });
  } catch (thrown) {
    return reportOf(thrown);
  }
  throw new Error('the configuration was accepted');
}

function reportOf(thrown: unknown): Report {
  if (!(thrown instanceof RllmError)) throw thrown;
  const faults = (thrown.details['faults'] ?? []) as readonly ConfigFault[];
  const byPath = Object.fromEntries(faults.map((fault) => [fault.path, fault]));
  return { code: thrown.code, message: thrown.message, faults, byPath };
}
